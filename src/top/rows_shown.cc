#include "top/rows_shown.h"

#include <algorithm>

#include "top/pages/header.h"

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

}  // namespace lockstep::top
