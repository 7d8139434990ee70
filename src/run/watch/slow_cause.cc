#include "run/watch/slow_cause.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/finding_code.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {
namespace {

using model::FixPattern;

const std::vector<FixPattern>& what_helps(SlowCause cause) {
  static const std::vector<FixPattern> cores = {FixPattern::kMemoryOrCoreSetting,
                                                FixPattern::kKillStrayProcesses};
  static const std::vector<FixPattern> work = {FixPattern::kBatchOrPartition};
  static const std::vector<FixPattern> none;
  switch (cause) {
    case SlowCause::kThrottled:
    case SlowCause::kCrowded:
    case SlowCause::kSwapping:
      return cores;
    case SlowCause::kMoreWork:
    case SlowCause::kDataLoading:
      return work;
    default:
      return none;
  }
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string in_words(SlowCause cause, int rank, const SlowShares& slow, const SlowShares& others) {
  const std::string who = fmt::format("Rank {}'s process", rank);
  switch (cause) {
    case SlowCause::kThrottled:
      return fmt::format("{} was throttled by the CPU limit of its control group for {} of the time.", who,
                         percent(slow.throttled));
    case SlowCause::kCrowded:
      return fmt::format(
          "{} waited for a free core for {} of the time (the others {}): other processes on its host "
          "take the processor.",
          who, percent(slow.core_wait), percent(others.core_wait));
    case SlowCause::kSwapping:
      return fmt::format(
          "{} read {:.0f} pages a second back from disk (the others {:.0f}): its memory is short.", who,
          slow.major_faults_a_second, others.major_faults_a_second);
    case SlowCause::kDisk:
      return fmt::format("{} waited for a disk for {} of the time (the others {}).", who,
                         percent(slow.disk_wait), percent(others.disk_wait));
    case SlowCause::kDataLoading:
      return fmt::format("{} waited for its input data for {} of the time (the others {}).", who,
                         percent(slow.data_wait), percent(others.data_wait));
    case SlowCause::kMoreWork:
      return fmt::format("{} computed for {} of the time (the others {}): it has more work in each step.",
                         who, percent(slow.cpu), percent(others.cpu));
    case SlowCause::kSleeps:
      return fmt::format(
          "{} used its processor for {} of the time and neither waited for a core nor for a disk: it "
          "sleeps, or waits for a lock or another program.",
          who, percent(slow.cpu));
    case SlowCause::kUnknown:
      break;
  }
  return {};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

// The surest counters first: a limit and a queue for cores say what they are, more processor time may be
// spinning.
SlowCause cause_of(const SlowShares& slow, const SlowShares& others) {
  const auto is_more = [](double its, double theirs, double least) {
    return its >= least && its >= 2 * theirs;
  };
  if (is_more(slow.throttled, others.throttled, kCauseShare)) return SlowCause::kThrottled;
  if (is_more(slow.major_faults_a_second, others.major_faults_a_second, kSwappingFaults))
    return SlowCause::kSwapping;
  if (slow.core_wait - others.core_wait >= kCauseShare &&
      is_more(slow.core_wait, others.core_wait, kCauseShare))
    return SlowCause::kCrowded;
  if (is_more(slow.disk_wait, others.disk_wait, kCauseShare)) return SlowCause::kDisk;
  if (is_more(slow.data_wait, others.data_wait, kCauseShare)) return SlowCause::kDataLoading;
  if (slow.cpu - others.cpu >= kCauseShare && slow.cpu >= others.cpu * kMoreWorkRatio)
    return SlowCause::kMoreWork;
  const double accounted = slow.cpu + slow.core_wait + slow.disk_wait + slow.in_calls;
  return accounted <= 1 - kCauseShare ? SlowCause::kSleeps : SlowCause::kUnknown;
}

void SlowCauses::look(const LiveJob& job) {
  std::size_t asked = 0;
  for (const LiveRank* rank : job.ranks()) {
    if (!rank->process().is_here() || rank->is_gone() || ++asked > kMaxAsked) continue;
    const auto usage = evidence::usage_of_process({}, static_cast<pid_t>(rank->header().pid));
    if (!usage) continue;
    std::vector<Look>& looks = looks_[rank->rank()];
    if (looks.size() > static_cast<std::size_t>(kTimesSlow)) looks.erase(looks.begin());
    looks.push_back({.time_ns = job.now_ns(),
                     .usage = *usage,
                     .data_wait = rank->data_waits().share(job.now_ns(), std::nullopt).value_or(0),
                     .in_calls = rank->communication().share(job.now_ns(), std::nullopt).value_or(0)});
  }
}

std::optional<SlowShares> SlowCauses::shares_of(int rank) const {
  const auto found = looks_.find(rank);
  if (found == looks_.end() || found->second.size() < 2) return std::nullopt;
  const Look& first = found->second.front();
  const Look& last = found->second.back();
  const double passed_s = static_cast<double>(last.time_ns - first.time_ns) / 1e9;
  if (passed_s <= 0) return std::nullopt;
  const auto share = [&](double before, double after) { return std::max(0.0, after - before) / passed_s; };
  SlowShares shares{.cpu = share(first.usage.cpu_s, last.usage.cpu_s),
                    .core_wait = share(first.usage.core_wait_s, last.usage.core_wait_s),
                    .disk_wait = share(first.usage.disk_wait_s, last.usage.disk_wait_s),
                    .throttled = share(first.usage.throttled_s, last.usage.throttled_s),
                    .data_wait = last.data_wait,
                    .in_calls = last.in_calls};
  shares.major_faults_a_second =
      share(static_cast<double>(first.usage.major_faults), static_cast<double>(last.usage.major_faults));
  return shares;
}

SlowShares SlowCauses::median_without(int rank) const {
  std::vector<SlowShares> all;
  for (const auto& [other, looks] : looks_) {
    if (const auto shares = shares_of(other); shares && other != rank) all.push_back(*shares);
  }
  const auto of = [&](double SlowShares::*share) {
    std::vector<double> values;
    for (const SlowShares& one : all) values.push_back(one.*share);
    return median(std::move(values));
  };
  return {.cpu = of(&SlowShares::cpu),
          .core_wait = of(&SlowShares::core_wait),
          .disk_wait = of(&SlowShares::disk_wait),
          .throttled = of(&SlowShares::throttled),
          .data_wait = of(&SlowShares::data_wait),
          .in_calls = of(&SlowShares::in_calls),
          .major_faults_a_second = of(&SlowShares::major_faults_a_second)};
}

void SlowCauses::explain(model::Finding& finding) const {
  if (!finding.code.is(model::CodeFamily::kStraggler) || finding.root_ranks.size() != 1) return;
  const int rank = finding.root_ranks.front();
  const auto slow = shares_of(rank);
  if (!slow) return;
  const SlowShares others = median_without(rank);
  const SlowCause cause = cause_of(*slow, others);
  if (cause == SlowCause::kUnknown) return;
  finding.explanation += " " + in_words(cause, rank, *slow, others);
  const std::vector<FixPattern>& helps = what_helps(cause);
  std::ranges::stable_sort(finding.fixes, {}, [&](const model::Fix& fix) {
    return std::ranges::find(helps, fix.pattern) == helps.end() ? 1 : 0;
  });
}

}  // namespace lockstep::watch
