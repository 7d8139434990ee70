#include "top/render.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "report/lines.h"
#include "top/figures.h"
#include "top/pages/pages.h"

namespace lockstep::top {

namespace {

constexpr int kFootLines = 1;
constexpr int kTableHeadLines = 1;

}  // namespace

int body_height(const Scene& scene) {
  return std::max(1, scene.size.rows - static_cast<int>(header_lines(scene).size()) - kFootLines);
}

bool is_folded(const Scene& scene, const ViewState& state) {
  if (!state.only.empty()) return false;
  const int room = body_height(scene) - kTableHeadLines;
  return state.is_folded.value_or(scene.snapshot.ranks.size() > static_cast<std::size_t>(std::max(room, 0)));
}

std::vector<Row> rows_shown(const Scene& scene, const ViewState& state) {
  std::vector<Row> rows =
      is_folded(scene, state) ? folded_rows(scene.snapshot) : one_row_each(scene.snapshot);
  if (!state.only.empty()) {
    std::erase_if(rows, [&](const Row& row) {
      return !std::binary_search(state.only.begin(), state.only.end(), row.first().rank);
    });
  }
  sort_rows(rows, state.sort_by, state.is_reversed);
  return rows;
}

std::size_t cursor_among(const std::vector<Row>& rows, const ViewState& state) {
  if (!state.selected) return 0;
  const auto place =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.has(*state.selected); });
  return place == rows.end() ? 0 : static_cast<std::size_t>(place - rows.begin());
}

int window_start(int first_line, int cursor, int height, int count) {
  height = std::max(height, 1);
  first_line = std::clamp(first_line, cursor - height + 1, cursor);
  return std::clamp(first_line, 0, std::max(0, count - height));
}

namespace {

std::string_view name_of(SortBy by) {
  switch (by) {
    case SortBy::kState:
      return "state";
    case SortBy::kRank:
      return "rank";
    case SortBy::kStepRate:
      return "steps/s";
    case SortBy::kLateness:
      return "lateness";
    case SortBy::kCommunication:
      return "comm";
  }
  return "";
}

struct Hint {
  std::string key;
  std::string meaning;
};

std::vector<Hint> hints_for(const Scene& scene, const ViewState& state) {
  if (state.page != Page::kRanks) return {{"q", "quit"}, {"Esc", "back"}, {"w", "waits"}, {"?", "help"}};
  std::vector<Hint> hints{{"q", "quit"}, {"Enter", "open"}};
  if (!state.only.empty()) hints.push_back({"Esc", "back"});
  hints.push_back({"s/r", fmt::format("sort:{}{}", name_of(state.sort_by), state.is_reversed ? " up" : "")});
  hints.push_back({"f", is_folded(scene, state) ? "unfold" : "fold"});
  hints.push_back({"w", "waits"});
  hints.push_back({"?", "help"});
  return hints;
}

// "1-18 of 1,024", nothing when all lines are seen.
std::string place_in_words(int first, int height, int count) {
  if (count <= height) return "";
  const auto number = [](int value) { return grouped(static_cast<std::uint64_t>(value)); };
  return fmt::format("{}-{} of {}", number(first + 1), number(std::min(first + height, count)),
                     number(count));
}

Line foot(const Scene& scene, const ViewState& state, const std::string& place) {
  Line line;
  for (const Hint& hint : hints_for(scene, state)) {
    line.add(line.width() == 0 ? "" : "  ").add(hint.key, Ink::kBold).add(" " + hint.meaning, Ink::kDim);
  }
  const int place_at = scene.size.columns - report::display_width(place);
  if (!place.empty() && place_at > line.width()) line.fill_to(place_at).add(place, Ink::kDim);
  return line;
}

// Appends the body and says which part of it is seen.
std::string add_table(const Scene& scene, const ViewState& state, int height, std::vector<Line>& lines) {
  const std::vector<Row> rows = rows_shown(scene, state);
  if (rows.empty()) {
    lines.emplace_back("No rank has written anything yet.", Ink::kDim);
    return "";
  }
  const RankTable table(rows, scene.size.columns);
  const int count = static_cast<int>(rows.size());
  const int room = std::max(1, height - 1);
  const int cursor = static_cast<int>(cursor_among(rows, state));
  const int first = window_start(state.first_line, cursor, room, count);
  lines.push_back(table.head(state.sort_by));
  for (int i = first; i < std::min(first + room, count); ++i) {
    lines.push_back(table.line_of(rows[static_cast<std::size_t>(i)]));
    if (i == cursor) lines.back().select();
  }
  return place_in_words(first, room, count);
}

std::string add_text(const Scene& scene, const ViewState& state, int height, std::vector<Line>& lines) {
  const std::vector<Line> text = text_of(scene, state);
  const int count = static_cast<int>(text.size());
  const int first = std::clamp(state.first_line, 0, std::max(0, count - height));
  for (int i = first; i < std::min(first + height, count); ++i)
    lines.push_back(text[static_cast<std::size_t>(i)]);
  return place_in_words(first, height, count);
}

}  // namespace

std::vector<Line> text_of(const Scene& scene, const ViewState& state) {
  switch (state.page) {
    case Page::kRanks:
      return {};
    case Page::kRank:
      return rank_page(scene, state.selected.value_or(0));
    case Page::kWaits:
      return waits_page(scene);
    case Page::kHelp:
      return help_page();
  }
  return {};
}

std::vector<Line> render(const Scene& scene, const ViewState& state) {
  std::vector<Line> lines = header_lines(scene);
  const int height = body_height(scene);
  const std::string place = state.page == Page::kRanks ? add_table(scene, state, height, lines)
                                                       : add_text(scene, state, height, lines);
  const auto rows = static_cast<std::size_t>(std::max(scene.size.rows, 1));
  lines.resize(rows - 1);
  lines.push_back(foot(scene, state, place));
  return lines;
}

std::string render_plain(const watch::Snapshot& snapshot, int columns) {
  const History no_history;
  const Scene scene{snapshot, no_history, {columns, Size().rows}};
  std::vector<Line> lines = header_lines(scene);
  const std::vector<Row> rows = rows_shown(scene, ViewState());
  const RankTable table(rows, columns);
  lines.push_back(table.head(SortBy::kState));
  for (const Row& row : rows) lines.push_back(table.line_of(row));
  std::string out;
  for (const Line& line : lines) out += line.plain(columns) + '\n';
  return out;
}

}  // namespace lockstep::top
