#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "top/figures.h"
#include "top/fit.h"
#include "top/pages/details.h"
#include "top/pages/text_page.h"
#include "top/rows/row.h"
#include "top/rows/waits.h"
#include "top/states.h"

namespace lockstep::top {
namespace {

using watch::RankView;

constexpr int kLabelWidth = 56;
constexpr int kCurveWidth = 40;
constexpr int kBarWidth = 20;

const RankView* view_of(const watch::Snapshot& snapshot, int rank) {
  const auto place = std::lower_bound(snapshot.ranks.begin(), snapshot.ranks.end(), rank,
                                      [](const RankView& view, int wanted) { return view.rank < wanted; });
  return place != snapshot.ranks.end() && place->rank == rank ? &*place : nullptr;
}

std::vector<int> ranks_waiting_for(const watch::Snapshot& snapshot, int rank) {
  std::vector<int> ranks;
  for (const RankView& view : snapshot.ranks) {
    if (std::binary_search(view.waits_for.begin(), view.waits_for.end(), rank)) ranks.push_back(view.rank);
  }
  return ranks;
}

std::string counted_label(const std::vector<int>& ranks, std::string_view if_none) {
  if (ranks.empty()) return std::string(if_none);
  const std::string label = rank_label(ranks, kLabelWidth);
  return ranks.size() == 1 ? label : fmt::format("{} ({} ranks)", label, grouped(ranks.size()));
}

std::string waiters_in_words(const watch::Snapshot& snapshot, int rank) {
  const std::string label = counted_label(ranks_waiting_for(snapshot, rank), "nobody");
  const auto waiters = longest_waiters(snapshot);
  const auto found = waiters.find(rank);
  if (found == waiters.end()) return label;
  return fmt::format("{}, for {} in {}", label, short_time(*found->second->for_ns),
                     safe(found->second->doing));
}

std::string state_in_words(const RankView& view) {
  std::string out(word_of(view.state));
  if (view.exit_status) out += fmt::format(" with exit status {}", *view.exit_status);
  return out;
}

std::string doing_since(const RankView& view) {
  const std::string doing = view.doing.empty() ? "nothing that is recorded" : safe(view.doing);
  return view.for_ns ? fmt::format("{}, for {}", doing, short_time(*view.for_ns)) : doing;
}

std::string steps_in_words(const RankView& view, const watch::Snapshot& snapshot) {
  if (view.steps == 0 && !view.steps_per_second) return "";
  std::string out = fmt::format("{} finished", grouped(view.steps));
  if (view.steps_per_second) out += fmt::format(", {} a second", short_rate(*view.steps_per_second));
  if (const auto job = job_step_rate(snapshot))
    out += fmt::format(" (middle of all ranks {})", short_rate(*job));
  return out;
}

std::string calls_in_words(const RankView& view, const History& history) {
  const auto rate = history.calls_per_second(view.rank);
  return fmt::format("{} issued{}", grouped(view.calls),
                     rate ? fmt::format(", {} a second", short_rate(*rate)) : "");
}

std::string share_with_bar(const std::optional<double>& share) {
  if (!share || std::isnan(*share)) return "";
  const auto full = static_cast<std::size_t>(std::clamp(*share, 0.0, 1.0) * kBarWidth + 0.5);
  return fmt::format("{:<4} {}{}", short_share(*share), std::string(full, '#'),
                     std::string(kBarWidth - full, '.'));
}

std::string curve_of(const History::Samples& samples) {
  if (samples.size() < 2) return "";
  const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
  return fmt::format("{} {} to {}", sparkline(samples, kCurveWidth), short_rate(*lowest),
                     short_rate(*highest));
}

Line title_of(const RankView& view) {
  Line line(fmt::format("Rank {}", view.rank), Ink::kBold);
  if (!view.host.empty()) line.add(" on " + safe(view.host));
  if (view.pid > 0) line.add(fmt::format(", process {}", view.pid));
  if (view.restart > 0) line.add(fmt::format(", restart {}", view.restart), Ink::kWarning);
  return line;
}

bool names(const model::Finding& finding, int rank) {
  return std::find(finding.root_ranks.begin(), finding.root_ranks.end(), rank) != finding.root_ranks.end();
}

}  // namespace

std::vector<Line> rank_page(const Scene& scene, int rank) {
  const RankView* view = view_of(scene.snapshot, rank);
  if (view == nullptr) return {Line(fmt::format("Nothing is recorded of rank {}.", rank))};
  Details details(scene.size.columns);
  details.blank();
  details.add("State", state_in_words(*view), ink_of(view->state));
  details.add("Doing", doing_since(*view));
  details.add("Waits for", counted_label(view->waits_for, "nobody"));
  details.add("Waited for by", waiters_in_words(scene.snapshot, rank));
  details.blank();
  details.add("Steps", steps_in_words(*view, scene.snapshot));
  details.add(job_step_rate(scene.snapshot) ? "Steps/s" : "Calls/s", curve_of(scene.history.of_rank(rank)),
              Ink::kBusy);
  details.add("Communication", share_with_bar(view->communication_share));
  details.add("Data wait", share_with_bar(view->data_wait_share));
  details.add("Lateness", view->lateness_ns ? short_time(*view->lateness_ns) : "");
  details.add("Calls", calls_in_words(*view, scene.history));
  for (const model::Finding& finding : scene.snapshot.findings) {
    if (!names(finding, rank)) continue;
    details.blank();
    details.add_finding(finding);
  }
  std::vector<Line> lines = details.take();
  lines.insert(lines.begin(), title_of(*view));
  return lines;
}

}  // namespace lockstep::top
