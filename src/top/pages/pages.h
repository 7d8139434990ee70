// What a screen is made of: the header above every page, the table of ranks, and the pages that are text.
#pragma once

#include <string>
#include <vector>

#include "top/line.h"
#include "top/rows/row.h"
#include "top/view_state.h"

namespace lockstep::top {

// The lines above every page: the job, how it goes, a strip of all ranks, and the verdict when there is one.
std::vector<Line> header_lines(const Scene& scene);

// The rows of the table as lines. Columns that say least go first when there is little room.
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

// Pages that are text: one rank, who waits for whom, the keys. Longer ones are scrolled.

// Everything known about one rank.
std::vector<Line> rank_page(const Scene& scene, int rank);

// What the watcher has found, and who waits for whom.
std::vector<Line> waits_page(const Scene& scene);

std::vector<Line> help_page();

}  // namespace lockstep::top
