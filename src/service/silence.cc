#include "service/silence.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "model/finding.h"
#include "model/finding_code.h"
#include "report/findings_json.h"
#include "report/phrases.h"
#include "service/engine/heartbeat.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kMaxSilenceBytes = 1 << 20;

std::filesystem::path silence_in(const AttemptFolder& folder) {
  return folder.path / "silence.json";
}

bool has_ended(const AttemptFolder& folder, int rank) {
  std::error_code ignored;
  return std::filesystem::exists(folder.rank_end(rank), ignored);
}

model::Fix what_to_do_with_a_silent_rank() {
  return {
      .pattern = model::FixPattern::kOther,
      .title = "Find out what stopped the rank, then start the job again",
      .steps = {"Look at the host of the rank: is it there, does it swap, is its disk full or its file "
                "system stuck?",
                "A process in state T was stopped by a signal, by Ctrl-Z or by a debugger; one in state D "
                "waits for a device."},
      .commands = {"ps -eo pid,stat,wchan:20,args"}};
}

}  // namespace

SilenceWatch::News SilenceWatch::look(const AttemptFolder& folder, int workers, std::chrono::seconds patience,
                                      ServiceClock::Point now) {
  News news;
  if (patience.count() == 0) return news;
  for (int rank = 0; rank < workers; ++rank) {
    const auto sign = read_heartbeat(folder.sign_of_life(rank));
    if (!sign) continue;
    Heard& heard = ranks_.try_emplace(rank, Heard{sign->last_ms, now}).first->second;
    if (sign->last_ms != heard.last_ms || has_ended(folder, rank)) {
      if (heard.is_told) news.heard_again.push_back(rank);
      heard = {sign->last_ms, now};
    } else if (now - heard.at >= SilenceJudge::kEndsAfter * patience) {
      news.lost.push_back(rank);
    } else if (now - heard.at >= patience && !heard.is_told) {
      heard.is_told = true;
      news.silent.push_back(rank);
    }
  }
  return news;
}

Result<SilenceJudge::Judgement> SilenceJudge::judge(SilenceWatch& watch, const AttemptFolder& folder,
                                                    int workers, ServiceClock::Point now) const {
  SilenceWatch::News news = watch.look(folder, workers, patience_, now);
  Judgement judgement{.heard_again = std::move(news.heard_again)};
  if (!news.silent.empty()) judgement.told = Silence{std::move(news.silent), patience_.count()};
  if (!news.lost.empty() && !TRY(read_silence(folder)))
    judgement.ends = Silence{std::move(news.lost), kEndsAfter * patience_.count()};
  return judgement;
}

Result<void> write_silence(const AttemptFolder& folder, const Silence& silence) {
  const base::Json json = {{"ranks", silence.ranks}, {"seconds", silence.seconds}};
  return base::write_file(silence_in(folder), base::to_text(json, base::JsonLayout::kOneLine));
}

namespace {

Silence decode_silence(const base::Json& json) {
  return {json.at("ranks").get<std::vector<int>>(), json.at("seconds").get<std::int64_t>()};
}

}  // namespace

Result<std::optional<Silence>> read_silence(const AttemptFolder& folder) {
  return read_record<Silence>(silence_in(folder), kMaxSilenceBytes, decode_silence);
}

EndReason reason_of(const Silence& silence) {
  return EndReason::silent(report::describe_ranks(silence.ranks), silence.seconds);
}

base::Json findings_of(const Silence& silence, int workers) {
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfHang;
  finding.code = model::codes::kStoppedRank;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = 0.8;
  finding.root_ranks = silence.ranks;
  for (int rank = 0; rank < workers; ++rank)
    if (!std::ranges::binary_search(silence.ranks, rank)) finding.victim_ranks.push_back(rank);
  finding.title = reason_of(silence).text;
  finding.title.front() = 'R';
  finding.explanation =
      "What runs beside each rank writes a sign of life every second. It stopped there, while the attempt "
      "went "
      "on: the process is stopped, its control group is frozen, or its host or file system is gone. The "
      "attempt "
      "was ended.";
  for (const int rank : silence.ranks) {
    model::Evidence& seen = finding.evidence.emplace_back();
    seen.file = fmt::format("rank_{}.alive", rank);
    seen.rank = rank;
    seen.text = fmt::format("unchanged for {} s", silence.seconds);
  }
  finding.fixes = {what_to_do_with_a_silent_rank()};
  model::Verdict verdict;
  verdict.job.world_size = workers;
  verdict.findings.push_back(std::move(finding));
  return report::findings_as_json(verdict);
}

}  // namespace lockstep::service
