// The rows of the table as lines. Columns that say least go first when there is little room.
#pragma once

#include <string>
#include <vector>

#include "top/line.h"
#include "top/rows/row.h"

namespace lockstep::top {

class RankTable {
 public:
  // The widths follow `rows`, so that columns stay where they are while the person scrolls.
  RankTable(const std::vector<Row>& rows, int columns);

  Line head(SortBy sorted_by) const;
  Line line_of(const Row& row) const;

 private:
  bool has_host() const { return host_width_ > 0; }

  int rank_width_ = 0;
  int host_width_ = 0;
  int doing_width_ = 0;
};

// "all_reduce 204 in default_pg  waits for 512", made to fit.
Line doing_in_words(const Row& row, int columns);

}  // namespace lockstep::top
