#include <algorithm>

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

constexpr int kIndent = 3;
constexpr int kDeepestIndent = 8;
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
  const int indent = kIndent * std::min(node.depth, kDeepestIndent);
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

}  // namespace lockstep::top
