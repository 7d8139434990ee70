#include "top/view_state.h"

#include <algorithm>

#include "top/pages/pages.h"
#include "top/render.h"

namespace lockstep::top {
namespace {

constexpr int kSortKeys = 5;

// How far a key moves; in a list of `count` lines of which `height` are seen.
int distance_of(Key key, int height, int count) {
  switch (key) {
    case Key::kUp:
      return -1;
    case Key::kDown:
      return 1;
    case Key::kPageUp:
      return -std::max(1, height - 1);
    case Key::kPageDown:
      return std::max(1, height - 1);
    case Key::kHome:
      return -count;
    case Key::kEnd:
      return count;
    default:
      return 0;
  }
}

void move_cursor(ViewState& state, Key key, const Scene& scene) {
  const std::vector<Row> rows = rows_shown(scene, state);
  if (rows.empty()) return;
  const int count = static_cast<int>(rows.size());
  const int height = body_height(scene) - 1;
  const int before = static_cast<int>(cursor_among(rows, state));
  const int cursor = std::clamp(before + distance_of(key, height, count), 0, count - 1);
  state.selected = rows[static_cast<std::size_t>(cursor)].first().rank;
  state.first_line = window_start(state.first_line, cursor, height, count);
}

void scroll(ViewState& state, Key key, const Scene& scene) {
  const int count = static_cast<int>(text_of(scene, state).size());
  const int height = body_height(scene);
  const int last_start = std::max(0, count - height);
  state.first_line = std::clamp(state.first_line + distance_of(key, height, count), 0, last_start);
}

void turn_to(ViewState& state, Page page) {
  state.page = page;
  state.first_line = 0;
}

void open_selected(ViewState& state, const Scene& scene) {
  const std::vector<Row> rows = rows_shown(scene, state);
  if (rows.empty()) return;
  const Row& row = rows[cursor_among(rows, state)];
  state.selected = row.first().rank;
  if (row.members.size() == 1) return turn_to(state, Page::kRank);
  state.only = ranks_of(row);
  state.first_line = 0;
}

void go_back(ViewState& state) {
  if (state.page != Page::kRanks) return turn_to(state, Page::kRanks);
  state.only.clear();
  state.first_line = 0;
}

void change_rows(ViewState& state, Key key, const Scene& scene) {
  if (key == Key::kReverse) state.is_reversed = !state.is_reversed;
  if (key == Key::kSort) {
    state.sort_by = static_cast<SortBy>((static_cast<int>(state.sort_by) + 1) % kSortKeys);
    state.is_reversed = false;
    state.selected.reset();
  }
  if (key == Key::kFold) {
    const bool was_folded = is_folded(scene, state);
    state.only.clear();
    state.is_folded = !was_folded;
  }
  state.first_line = 0;
}

bool is_movement(Key key) {
  return distance_of(key, 2, 2) != 0;
}

}  // namespace

ViewState press(ViewState state, Key key, const Scene& scene) {
  const bool is_table = state.page == Page::kRanks;
  if (is_movement(key)) {
    is_table ? move_cursor(state, key, scene) : scroll(state, key, scene);
    return state;
  }
  switch (key) {
    case Key::kLeave:
      state.wants_to_leave = true;
      break;
    case Key::kEnter:
      if (is_table) open_selected(state, scene);
      break;
    case Key::kEscape:
      go_back(state);
      break;
    case Key::kWaits:
      turn_to(state, state.page == Page::kWaits ? Page::kRanks : Page::kWaits);
      break;
    case Key::kHelp:
      turn_to(state, state.page == Page::kHelp ? Page::kRanks : Page::kHelp);
      break;
    case Key::kSort:
    case Key::kReverse:
    case Key::kFold:
      if (is_table) change_rows(state, key, scene);
      break;
    default:
      break;
  }
  return state;
}

}  // namespace lockstep::top
