#include "cli/run_session.h"

#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "cli/run_notice.h"
#include "report/findings_json.h"
#include "report/live_findings.h"

namespace lockstep::cli {
namespace {

using supervise::Answer;

bool wants_testimony(watch::Kind kind) {
  return kind == watch::Kind::kDecided || kind == watch::Kind::kLate || kind == watch::Kind::kHung;
}

// Nothing new is said, only what stands is told again.
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

}  // namespace

RunSession::RunSession(std::filesystem::path recording, RunManners manners, Terminal& terminal)
    : recording_(std::move(recording)),
      manners_(manners),
      terminal_(terminal),
      testimony_(recording_, manners.wants_native_stacks) {}

supervise::Listener RunSession::listener() {
  return {.on_notice = [this](const watch::Notice& notice, watch::Watcher& watcher,
                              multihost::Link* link) { return on_notice(notice, watcher, link); },
          .on_news = [this](const multihost::News& news, watch::Watcher& watcher,
                            multihost::Link& link) { return on_news(news, watcher, link); },
          .on_trouble = [this](const Error& error) { tell_trouble(error); }};
}

std::chrono::milliseconds RunSession::since_begin() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
}

void RunSession::say(const std::string& text) {
  if (!manners_.is_quiet) terminal_.tell(text);
}

void RunSession::tell_trouble(const Error& error) {
  const std::string where = error.where.empty() ? "" : error.where + ": ";
  say(fmt::format("lockstep: {}: {}{}\n", error.what, base::escape_for_terminal(where), error.why));
  if (!error.hint.empty()) say(fmt::format("          {}\n", error.hint));
}

void RunSession::keep(const std::vector<model::Finding>& findings) {
  if (const auto kept = report::keep_live_findings(recording_, findings); !kept.ok())
    tell_trouble(kept.error());
}

void RunSession::take_testimony(const watch::Notice& notice, watch::Watcher& watcher) {
  const auto taken = testimony_.take(watcher.job(), notice.finding);
  if (!taken.ok()) tell_trouble(taken.error());
}

Answer RunSession::answer_to(watch::Kind kind) {
  const bool is_hang = kind == watch::Kind::kDecided || kind == watch::Kind::kHung;
  if (!is_hang || !manners_.ends_hangs) return Answer::kGoOn;
  terminal_.tell("lockstep: ending the job (--on-hang=kill)\n");
  return Answer::kEndJob;
}

// Satellites are told first: they take testimony of their own while this host's is taken.
Answer RunSession::on_notice(const watch::Notice& notice, watch::Watcher& watcher, multihost::Link* link) {
  say(notice_in_words(notice, since_begin(), ""));
  if (link != nullptr) {
    link->tell(multihost::HeadNotice{.kind = static_cast<std::uint8_t>(notice.kind),
                                     .finding = encode({notice.finding}),
                                     .standing = encode(watcher.findings())});
  }
  if (wants_testimony(notice.kind)) {
    take_testimony(notice, watcher);
    watcher.judge_again();
  }
  keep(watcher.findings());
  return answer_to(notice.kind);
}

Answer RunSession::on_news(const multihost::News& news, watch::Watcher& watcher, multihost::Link& link) {
  switch (news.kind) {
    case multihost::News::Kind::kNotice:
      return on_head_notice(news.notice, watcher, link);
    case multihost::News::Kind::kTestimony:
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

void RunSession::on_lost(const multihost::News& news) {
  const std::string host = base::escape_for_terminal(news.host);
  const std::string alone =
      head_.empty() ? "its ranks are known only until now" : "this host is watched alone";
  say(fmt::format("lockstep: {:.1f} s: the watcher of {} is lost: {}; {}\n",
                  static_cast<double>(since_begin().count()) / 1000, host, news.text, alone));
  limits_.push_back(
      fmt::format("the watcher of host {} was lost while the job ran: {}", news.host, news.text));
  head_.clear();
}

Answer RunSession::on_head_notice(const multihost::HeadNotice& told, watch::Watcher& watcher,
                                  multihost::Link& link) {
  head_findings_ = decode(told.standing);
  keep(head_findings_);
  const std::vector<model::Finding> found = decode(told.finding);
  if (told.kind > static_cast<std::uint8_t>(watch::Kind::kResolved) || found.empty()) return Answer::kGoOn;
  const watch::Notice notice{
      .kind = static_cast<watch::Kind>(told.kind), .finding = found.front(), .since = {}};
  say(notice_in_words(notice, since_begin(), head_));
  if (wants_testimony(notice.kind)) {
    take_testimony(notice, watcher);
    link.send_testimony();
  }
  return answer_to(notice.kind);
}

void RunSession::adopt_head_findings(supervise::WatchedEnd& end) {
  if (!head_.empty()) end.findings = head_findings_;
}

std::optional<multihost::HeadVerdict> RunSession::verdict_of_head(multihost::Link& link) {
  if (head_.empty() || head_verdict_) return std::exchange(head_verdict_, std::nullopt);
  return supervise::verdict_of_head(link);
}

}  // namespace lockstep::cli
