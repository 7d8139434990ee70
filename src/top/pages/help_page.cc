#include <string_view>

#include "top/fit.h"
#include "top/pages/text_page.h"

namespace lockstep::top {
namespace {

struct Entry {
  std::string_view name;
  std::string_view meaning;
};

constexpr Entry kKeys[] = {
    {"up down j k", "move; PgUp, PgDn, Home, End, g and G too"},
    {"Enter", "open: a row of several ranks, then one rank"},
    {"Esc", "back"},
    {"s", "sort by state, rank, steps/s, lateness, communication"},
    {"r", "sort the other way round"},
    {"f", "fold ranks in equal state into one row, or unfold them"},
    {"w", "who waits for whom, and what is wrong"},
    {"q Ctrl-C", "leave; Ctrl-Z suspends, Ctrl-L draws anew"},
};

constexpr Entry kColumns[] = {
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

constexpr int kNameWidth = 14;

void add_entries(std::string_view title, const auto& entries, std::vector<Line>& lines) {
  lines.emplace_back(std::string(title), Ink::kBold);
  for (const Entry& entry : entries) {
    lines.push_back(
        Line("  ").add(left_aligned(entry.name, kNameWidth), Ink::kBusy).add(std::string(entry.meaning)));
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
