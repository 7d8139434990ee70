// The whole screen as lines; nothing here touches a terminal.
#pragma once

#include <string>
#include <vector>

#include "top/line.h"
#include "top/view_state.h"

namespace lockstep::top {

// As many lines as the screen has rows.
std::vector<Line> render(const Scene& scene, const ViewState& state);

// The text of the page below the header; none for the table of ranks.
std::vector<Line> text_of(const Scene& scene, const ViewState& state);

// Header and table as plain text, every row of it, for pipes and files.
std::string render_plain(const watch::Snapshot& snapshot, int columns);

}  // namespace lockstep::top
