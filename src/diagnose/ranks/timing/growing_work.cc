#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/robust.h"
#include "diagnose/ranks/timing/timings.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

// What a rank does by itself in each part of its run but the first, where everything is new.
std::vector<double> work_by_part(const RankRun& run) {
  std::vector<double> work_ns;
  for (std::size_t at = 1; at < kRunParts; ++at) {
    const RunPart& part = run.parts[at];
    const RunPart& next = run.parts[at + 1];
    if (part.begin_ns == model::kNoTime || next.begin_ns < part.begin_ns) return {};
    const double length_ns = static_cast<double>(next.begin_ns - part.begin_ns);
    work_ns.push_back(std::max(0.0, length_ns - (next.communicated_ns - part.communicated_ns)));
  }
  return work_ns;
}

double share_in_order(std::span<const double> values) {
  std::size_t in_order = 0;
  std::size_t pairs = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    for (std::size_t later = at + 1; later < values.size(); ++later, ++pairs)
      in_order += values[at] < values[later] ? 1 : 0;
  }
  return pairs == 0 ? 0 : static_cast<double>(in_order) / static_cast<double>(pairs);
}

double middle_of(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return lower_median(copy);
}

// How many times the work at the beginning the work at the end is; 1 where it does not grow all the time.
double growth_of(const RankRun& run) {
  if (run.collectives < kMinCollectivesToGrow || run.span_ns() < kMinSpanToGrowNs) return 1;
  const std::vector<double> work_ns = work_by_part(run);
  if (work_ns.empty() || share_in_order(work_ns) < kMinInOrder) return 1;
  const std::size_t third = work_ns.size() / 3;
  const auto all = std::span<const double>(work_ns);
  const double first = middle_of(all.first(third));
  const double middle = middle_of(all.subspan(third, third));
  const double last = middle_of(all.last(third));
  const bool grows_on = first > 0 && middle > kMinGrowthOfHalf * first && last > kMinGrowthOfHalf * middle;
  return grows_on ? last / first : 1;
}

EventPlace first_of_last_part(const model::Job& job, std::size_t rank) {
  const std::size_t events = job.ranks[rank].events.size();
  return {.rank = static_cast<std::uint32_t>(rank),
          .event = static_cast<std::uint32_t>(events - events / kRunParts)};
}

}  // namespace

std::optional<model::Finding> find_growing_work(const model::Job& job, const Timings& timings) {
  std::vector<double> growths;
  for (const RankRun& run : timings.runs) growths.push_back(growth_of(run));
  if (growths.empty() || std::ranges::min(growths) < kMinGrowth) return std::nullopt;
  const double growth = lower_median(growths);
  model::Finding finding{
      .leaf = model::Leaf::kPerfSlow,
      .code = model::codes::kSlowRateFalls,
      .scope = model::Scope::kOrdinary,
      .confidence = confidence::kGrowingWork,
      .root_ranks = {},
      .victim_ranks = {},
      .title = fmt::format("training slows down: every rank works {:.1f} times as long at the end as at the "
                           "beginning",
                           growth),
      .explanation =
          "From part to part of the run each rank needs longer between its collectives, while the calls stay "
          "the same: the work itself grows, not the waiting for others. One rank alone would slow down in "
          "the same way.",
      .evidence = {},
      .fixes = catalogue::fixes_for(model::codes::kSlowRateFalls)};
  model::Evidence evidence = evidence_of(job, first_of_last_part(job, 0));
  evidence.text += fmt::format("; over {} the work before such a call has grown without a break",
                               duration_in_words(timings.runs.front().span_ns()));
  evidence.level = model::EvidenceLevel::kInferred;
  finding.evidence.push_back(std::move(evidence));
  return finding;
}

}  // namespace lockstep::ranks
