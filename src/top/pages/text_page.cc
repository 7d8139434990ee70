#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/finding.h"
#include "report/lines.h"
#include "report/phrases.h"
#include "top/figures.h"
#include "top/line.h"
#include "top/pages/pages.h"
#include "top/rows/row.h"
#include "top/rows/waits.h"

namespace lockstep::top {

namespace {

// Lines of "name   value", the value wrapped beside its name.
class Details {
 public:
  explicit Details(int columns) : columns_(columns) {}

  // `value` is safe for a terminal. Nothing is added for an empty one.
  void add(std::string_view name, const std::string& value, Ink ink = Ink::kPlain);
  void blank() { lines_.emplace_back(); }
  // What is wrong, who began it, why, and what to try first.
  void add_finding(const model::Finding& finding);

  std::vector<Line> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<Line> lines_;
};

constexpr int kIndent = 2;
constexpr int kNameWidth = 15;
constexpr int kNarrowestValue = 16;

void Details::add(std::string_view name, const std::string& value, Ink ink) {
  if (value.empty()) return;
  bool is_first = true;
  for (std::string& piece : report::wrap(value, std::max(kNarrowestValue, columns_ - kIndent - kNameWidth))) {
    Line line(std::string(kIndent, ' '));
    line.add(left_aligned(is_first ? name : "", kNameWidth), Ink::kDim).add(std::move(piece), ink);
    lines_.push_back(std::move(line));
    is_first = false;
  }
}

void Details::add_finding(const model::Finding& finding) {
  add("Wrong", safe(finding.title), Ink::kAlarm);
  add("Who", report::describe_who(finding));
  add("How sure", report::describe_confidence(finding.confidence) + ", " + report::describe_code(finding));
  add("Why", safe(finding.explanation));
  if (finding.fixes.empty()) return;
  const model::Fix& fix = finding.fixes.front();
  add("What to do", safe(fix.title));
  for (const std::string& step : fix.steps) add("", "- " + safe(step));
  for (const std::string& command : fix.commands) add("", "$ " + safe(command));
}

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

namespace {

constexpr int kTreeIndent = 3;
constexpr int kMaxIndentedDepth = 8;
constexpr int kNarrowestLabel = 16;

std::string time_in(const watch::RankView& view) {
  std::string out = view.for_ns ? ", " + short_time(*view.for_ns) : "";
  if (!view.doing.empty()) out += (view.for_ns ? " in " : ", ") + safe(view.doing);
  return out;
}

std::string tail_of(const WaitNode& node, int label_room) {
  const bool is_one = node.ranks.size() == 1;
  if (node.view == nullptr)
    return is_one ? " is waited for: it left no trace" : " are waited for: they left no trace";
  if (node.depth == 0 && !node.is_circle) {
    return fmt::format(" {} waited for: {}{}", is_one ? "is" : "are", word_of(node.view->state),
                       time_in(*node.view));
  }
  return fmt::format(" wait{} for {}{}{}", is_one ? "s" : "", rank_label(node.view->waits_for, label_room),
                     node.is_circle ? ", in the end for itself" : "", time_in(*node.view));
}

Line line_of(const WaitNode& node, int columns) {
  const int label_room = std::max(kNarrowestLabel, columns / 4);
  const int indent = kTreeIndent * std::min(node.depth, kMaxIndentedDepth);
  Line line(std::string(static_cast<std::size_t>(indent), ' '));
  line.add(rank_label(node.ranks, label_room), node.depth == 0 ? Ink::kAlarm : Ink::kWarning);
  return line.add(tail_of(node, label_room));
}

void add_waits(const Scene& scene, std::vector<Line>& lines) {
  lines.emplace_back("Who waits for whom", Ink::kBold);
  const std::vector<WaitNode> nodes = wait_tree(scene.snapshot);
  if (nodes.empty()) lines.emplace_back("  Nobody has waited for more than a second.", Ink::kDim);
  for (const WaitNode& node : nodes)
    lines.push_back(Line("  ").append(line_of(node, scene.size.columns - 2)));
}

}  // namespace

std::vector<Line> waits_page(const Scene& scene) {
  std::vector<Line> lines;
  add_waits(scene, lines);
  for (const model::Finding& finding : scene.snapshot.findings) {
    Details details(scene.size.columns);
    details.blank();
    details.add_finding(finding);
    std::vector<Line> found = details.take();
    lines.insert(lines.end(), found.begin(), found.end());
  }
  return lines;
}

namespace {

struct HelpEntry {
  std::string_view name;
  std::string_view meaning;
};

constexpr HelpEntry kKeys[] = {
    {"up down j k", "move; PgUp, PgDn, Home, End, g and G too"},
    {"Enter", "open: a row of several ranks, then one rank"},
    {"Esc", "back"},
    {"s", "sort by state, rank, steps/s, lateness, communication"},
    {"r", "sort the other way round"},
    {"f", "fold ranks in equal state into one row, or unfold them"},
    {"w", "who waits for whom, and what is wrong"},
    {"q Ctrl-C", "leave; Ctrl-Z suspends, Ctrl-L draws anew"},
};

constexpr HelpEntry kColumns[] = {
    {"STATE", "running: computing or in a call, others have come or come soon"},
    {"", "waiting: somebody has not come for more than a second"},
    {"", "late: others wait for it; straggler: they often do"},
    {"", "gone: its process ended without a word; stopped: by a signal"},
    {"STEP/S", "finished steps a second; of several ranks the middle one"},
    {"LATE", "how long others usually wait for it in a collective"},
    {"COMM", "its share of time in communication, of the last seconds"},
    {"FOR", "how long it has been doing what DOING says"},
};

constexpr std::string_view kStrip =
    "Dots are ranks: . running  w waiting  L late  s straggler  X dead  T stopped  ! guilty";

constexpr int kKeyWidth = 14;

void add_entries(std::string_view title, const auto& entries, std::vector<Line>& lines) {
  lines.emplace_back(std::string(title), Ink::kBold);
  for (const HelpEntry& entry : entries) {
    lines.push_back(
        Line("  ").add(left_aligned(entry.name, kKeyWidth), Ink::kBusy).add(std::string(entry.meaning)));
  }
  lines.emplace_back();
}

}  // namespace

std::vector<Line> help_page() {
  std::vector<Line> lines;
  add_entries("Keys", kKeys, lines);
  add_entries("Columns", kColumns, lines);
  lines.emplace_back(std::string(kStrip), Ink::kDim);
  return lines;
}

}  // namespace lockstep::top
