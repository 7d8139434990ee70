// The whole screen as lines; nothing here touches a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "top/line.h"
#include "top/rows/row.h"
#include "top/view_state.h"

namespace lockstep::top {

// Lines between the header and the keys at the foot.
int body_height(const Scene& scene);

bool is_folded(const Scene& scene, const ViewState& state);

// Sorted as the person asked; of an opened row its ranks alone.
std::vector<Row> rows_shown(const Scene& scene, const ViewState& state);

// Of the row with the selected rank; 0 when no row has it.
std::size_t cursor_among(const std::vector<Row>& rows, const ViewState& state);

// The first of `height` lines such that the one at `cursor` is among them, moved as little as possible.
int window_start(int first_line, int cursor, int height, int count);

// As many lines as the screen has rows.
std::vector<Line> render(const Scene& scene, const ViewState& state);

// The text of the page below the header; none for the table of ranks.
std::vector<Line> text_of(const Scene& scene, const ViewState& state);

// Header and table as plain text, every row of it, for pipes and files.
std::string render_plain(const watch::Snapshot& snapshot, int columns);

}  // namespace lockstep::top
