// The table's rows: every rank by itself, or ranks in equal state as one row, so that thousands of healthy
// ranks take one row and those that differ stand out.
#pragma once

#include <cstdint>
#include <vector>

#include "top/rows/row.h"

namespace lockstep::top {

std::vector<Row> one_row_each(const watch::Snapshot& snapshot);
std::vector<Row> folded_rows(const watch::Snapshot& snapshot);

enum class SortBy : std::uint8_t { kState, kRank, kStepRate, kLateness, kCommunication };

// What needs a look comes first: the guilty, the lowest rate, the latest, the largest share, the lowest rank.
// Rows for which the figure is not known come last either way.
void sort_rows(std::vector<Row>& rows, SortBy by, bool reversed);

}  // namespace lockstep::top
