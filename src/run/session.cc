#include "run/session.h"

#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "model/rank.h"
#include "report/findings_json.h"
#include "report/lines.h"

namespace lockstep::run {
namespace {

using supervise::Answer;

bool wants_evidence(watch::Kind kind) {
  return kind == watch::Kind::kDecided || kind == watch::Kind::kLate || kind == watch::Kind::kHung ||
         kind == watch::Kind::kElsewhere;
}

// Not a notice: the standing findings are sent again.
constexpr std::uint8_t kNoNotice = 255;

std::string encode(std::vector<model::Finding> findings) {
  model::Verdict verdict;
  verdict.findings = std::move(findings);
  return report::encode_findings(verdict);
}

std::vector<model::Finding> decode(const std::string& text) {
  auto verdict = report::decode_findings(text, "the head's findings");
  return verdict.ok() ? std::move(verdict.value().findings) : std::vector<model::Finding>();
}

std::string who(const model::Finding& finding) {
  if (finding.root_ranks.empty()) return "what was missing";
  return fmt::format("{} {}", finding.root_ranks.size() == 1 ? "rank" : "ranks",
                     model::compress_ranks(finding.root_ranks));
}

std::string_view lead(watch::Kind kind) {
  switch (kind) {
    case watch::Kind::kLate:
    case watch::Kind::kElsewhere:
      return "waiting: ";
    case watch::Kind::kHung:
      return "hangs: ";
    case watch::Kind::kSlow:
      return "slow: ";
    default:
      return "";
  }
}

}  // namespace

std::string notice_in_words(const watch::Notice& notice, std::chrono::milliseconds after,
                            std::string_view by_host) {
  const std::string by =
      by_host.empty() ? "" : fmt::format("{} says: ", base::escape_for_terminal(std::string(by_host)));
  const double seconds = static_cast<double>(after.count()) / 1000;
  const model::Finding& finding = notice.finding;
  if (notice.kind == watch::Kind::kResolved) {
    return fmt::format("lockstep: {:.1f} s: {}{} came after all\n", seconds, by, who(finding));
  }
  if (notice.kind == watch::Kind::kRestarted) {
    return fmt::format("lockstep: {:.1f} s: the job was restarted and goes on; what was said of {} is over\n",
                       seconds, who(finding));
  }
  std::string text =
      fmt::format("lockstep: {:.1f} s: {}{}{} ({})\n", seconds, by, lead(notice.kind),
                  base::escape_for_terminal(finding.title), base::escape_for_terminal(finding.code));
  constexpr int kIndent = 10;
  text += report::paragraph(base::escape_for_terminal(finding.explanation), kIndent);
  return text;
}

Session::Session(std::filesystem::path recording, SessionOptions options,
                 std::function<void(std::string_view)> tell)
    : recording_(std::move(recording)),
      options_(options),
      print_(std::move(tell)),
      evidence_(recording_, options.wants_native_stacks) {}

supervise::Listener Session::listener() {
  return {.on_notice = [this](const watch::Notice& notice, watch::Watcher& watcher,
                              multihost::Link* link) { return on_notice(notice, watcher, link); },
          .on_news = [this](const multihost::News& news, watch::Watcher& watcher,
                            multihost::Link& link) { return on_news(news, watcher, link); },
          .on_error = [this](const Error& error) { report(error); }};
}

std::chrono::milliseconds Session::since_begin() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
}

void Session::say(const std::string& text) {
  if (!options_.is_quiet) print_(text);
}

void Session::report(const Error& error) {
  const std::string where = error.where.empty() ? "" : error.where + ": ";
  say(fmt::format("lockstep: {}: {}{}\n", error.what, base::escape_for_terminal(where), error.why));
  if (!error.hint.empty()) say(fmt::format("          {}\n", error.hint));
}

void Session::keep(const std::vector<model::Finding>& findings) {
  if (const auto kept = report::keep_live_findings(recording_, findings); !kept.ok()) report(kept.error());
}

void Session::collect_evidence(const watch::Notice& notice, watch::Watcher& watcher) {
  const auto collected = evidence_.collect(watcher.job(), notice.finding);
  if (!collected.ok()) report(collected.error());
}

Answer Session::answer_to(watch::Kind kind) {
  const bool is_hang = kind == watch::Kind::kDecided || kind == watch::Kind::kHung;
  if (!is_hang || !options_.ends_hangs) return Answer::kGoOn;
  print_("lockstep: ending the job (--on-hang=kill)\n");
  return Answer::kEndJob;
}

// Satellites are told first: they collect evidence of their own while this host does.
Answer Session::on_notice(const watch::Notice& notice, watch::Watcher& watcher, multihost::Link* link) {
  say(notice_in_words(notice, since_begin(), ""));
  if (link != nullptr) {
    link->tell(multihost::HeadNotice{.kind = static_cast<std::uint8_t>(notice.kind),
                                     .finding = encode({notice.finding}),
                                     .standing = encode(watcher.findings())});
  }
  if (wants_evidence(notice.kind)) {
    collect_evidence(notice, watcher);
    watcher.judge_again();
  }
  keep(watcher.findings());
  return answer_to(notice.kind);
}

Answer Session::on_news(const multihost::News& news, watch::Watcher& watcher, multihost::Link& link) {
  switch (news.kind) {
    case multihost::News::Kind::kNotice:
      return on_head_notice(news.notice, watcher, link);
    case multihost::News::Kind::kEvidence:
      watcher.judge_again();
      keep(watcher.findings());
      link.tell(
          multihost::HeadNotice{.kind = kNoNotice, .finding = {}, .standing = encode(watcher.findings())});
      break;
    case multihost::News::Kind::kJoined:
      if (!link.judges_here()) head_ = news.host;
      break;
    case multihost::News::Kind::kLost:
      on_lost(news);
      break;
    case multihost::News::Kind::kTrouble:
      say(fmt::format("lockstep: {}\n          {}\n", base::escape_for_terminal(news.text), news.hint));
      break;
    case multihost::News::Kind::kVerdict:
      head_verdict_ = news.verdict;
      break;
    case multihost::News::Kind::kFinished:
      break;
  }
  return Answer::kGoOn;
}

void Session::on_lost(const multihost::News& news) {
  const std::string host = base::escape_for_terminal(news.host);
  const std::string alone =
      head_.empty() ? "its ranks are known only until now" : "this host is watched alone";
  say(fmt::format("lockstep: {:.1f} s: the watcher of {} is lost: {}; {}\n",
                  static_cast<double>(since_begin().count()) / 1000, host, news.text, alone));
  limits_.push_back(
      fmt::format("the watcher of host {} was lost while the job ran: {}", news.host, news.text));
  head_.clear();
}

Answer Session::on_head_notice(const multihost::HeadNotice& head_notice, watch::Watcher& watcher,
                               multihost::Link& link) {
  head_findings_ = decode(head_notice.standing);
  keep(head_findings_);
  const std::vector<model::Finding> found = decode(head_notice.finding);
  if (head_notice.kind > static_cast<std::uint8_t>(watch::Kind::kResolved) || found.empty())
    return Answer::kGoOn;
  const watch::Notice notice{
      .kind = static_cast<watch::Kind>(head_notice.kind), .finding = found.front(), .since = {}};
  say(notice_in_words(notice, since_begin(), head_));
  if (wants_evidence(notice.kind)) {
    collect_evidence(notice, watcher);
    link.send_evidence();
  }
  return answer_to(notice.kind);
}

void Session::adopt_head_findings(supervise::WatchedEnd& end) {
  if (!head_.empty()) end.findings = head_findings_;
}

std::optional<multihost::HeadVerdict> Session::verdict_of_head(multihost::Link& link) {
  if (head_.empty() || head_verdict_) return std::exchange(head_verdict_, std::nullopt);
  return supervise::verdict_of_head(link);
}

}  // namespace lockstep::run
