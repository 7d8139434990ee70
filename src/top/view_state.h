// What the person looks at, and how a key changes it. Nothing here touches a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/watch/snapshot.h"
#include "top/history.h"
#include "top/rows/row.h"
#include "top/terminal/key_decoder.h"

namespace lockstep::top {

struct Size {
  int columns = 80;
  int rows = 24;

  bool operator==(const Size&) const = default;
};

// What there is to see.
struct Scene {
  const watch::Snapshot& snapshot;
  const History& history;
  Size size;
};

enum class Page : std::uint8_t { kRanks, kRank, kWaits, kHelp };

struct ViewState {
  Page page = Page::kRanks;
  SortBy sort_by = SortBy::kState;
  bool is_reversed = false;
  std::optional<bool> is_folded;  // none: folded when the ranks do not fit on the screen
  std::optional<int>
      selected;           // a rank of the selected row, which it follows when rows move; none: the first row
  std::vector<int> only;  // the ranks of an opened row, ascending; empty: all ranks
  int first_line = 0;     // of the rows or the text shown
  bool wants_to_leave = false;

  bool operator==(const ViewState&) const = default;
};

ViewState press(ViewState state, Key key, const Scene& scene);

}  // namespace lockstep::top
