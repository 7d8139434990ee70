// A row of the table: one rank, or several in equal state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/watch/snapshot.h"
#include "top/line.h"
#include "top/rows/waits.h"

namespace lockstep::top {

// Views the snapshot it was made of.
struct Row {
  std::vector<const watch::RankView*> members;  // ascending, at least one
  Standing standing = Standing::kRunning;
  const watch::RankView* longest_waiter = nullptr;  // for one of them; none: nobody has waited long
  std::optional<std::int64_t> for_ns;               // the longest
  std::optional<double> steps_per_second;           // the middle one
  std::optional<double> communication_share;        // the middle one
  std::optional<std::int64_t> lateness_ns;          // the worst

  const watch::RankView& first() const { return *members.front(); }
  bool has(int rank) const;
};

Row make_row(std::vector<const watch::RankView*> members, Standing standing);

std::string_view word_of(const Row& row);  // "waiting", "running"
Ink ink_of(const Row& row);

// "all_reduce 204 in default_pg" as the file has it; of ranks at different work "410 computing, 614 in
// calls".
std::string doing_of(const Row& row);

std::vector<int> ranks_of(const Row& row);

// "0-511,513-1023"; in fewer columns "0-3,7,…+602": what is left out is counted.
std::string rank_label(const std::vector<int>& ranks, int columns);

// The table's rows: every rank by itself, or ranks in equal state as one row, so that thousands of healthy
// ranks take one row and those that differ stand out.
std::vector<Row> one_row_each(const watch::Snapshot& snapshot);
std::vector<Row> folded_rows(const watch::Snapshot& snapshot);

enum class SortBy : std::uint8_t { kState, kRank, kStepRate, kLateness, kCommunication };

// What needs a look comes first: the guilty, the lowest rate, the latest, the largest share, the lowest rank.
// Rows for which the figure is not known come last either way.
void sort_rows(std::vector<Row>& rows, SortBy by, bool reversed);

}  // namespace lockstep::top
