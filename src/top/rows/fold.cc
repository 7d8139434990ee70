#include "top/rows/fold.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "top/rows/waits.h"

namespace lockstep::top {
namespace {

using watch::RankView;

bool is_at_ordinary_work(Standing standing) {
  return standing == Standing::kRunning || standing == Standing::kStraggler;
}

// Equal keys share a row. At ordinary work states change many times a second; telling them apart would make
// the rows flicker.
struct FoldKey {
  Standing standing;
  const RankView* view;

  bool operator<(const FoldKey& other) const {
    if (standing != other.standing) return standing < other.standing;
    if (is_at_ordinary_work(standing)) return false;
    const RankView& a = *view;
    const RankView& b = *other.view;
    return std::tie(a.state, a.exit_status, a.doing, a.waits_for) <
           std::tie(b.state, b.exit_status, b.doing, b.waits_for);
  }
};

void add_waiters(const watch::Snapshot& snapshot, std::vector<Row>& rows) {
  const auto waiters = longest_waiters(snapshot);
  if (waiters.empty()) return;
  for (Row& row : rows) {
    if (row.standing > Standing::kLate) continue;
    const auto found = waiters.find(row.first().rank);
    if (found != waiters.end()) row.longest_waiter = found->second;
  }
}

// Less means: needs a look sooner. Negative, zero or positive.
template <typename T>
int compare_known(const std::optional<T>& a, const std::optional<T>& b, bool largest_first) {
  if (!a || !b) return static_cast<int>(b.has_value()) - static_cast<int>(a.has_value());
  if (*a == *b) return 0;
  return (*a > *b) == largest_first ? -1 : 1;
}

int compare(const Row& a, const Row& b, SortBy by, bool reversed) {
  const int sign = reversed ? -1 : 1;
  switch (by) {
    case SortBy::kState:
      return sign * (static_cast<int>(a.standing) - static_cast<int>(b.standing));
    case SortBy::kRank:
      return sign * (a.first().rank < b.first().rank ? -1 : a.first().rank > b.first().rank ? 1 : 0);
    case SortBy::kStepRate:
      return compare_known(a.steps_per_second, b.steps_per_second, reversed);
    case SortBy::kLateness:
      return compare_known(a.lateness_ns, b.lateness_ns, !reversed);
    case SortBy::kCommunication:
      return compare_known(a.communication_share, b.communication_share, !reversed);
  }
  return 0;
}

}  // namespace

std::vector<Row> one_row_each(const watch::Snapshot& snapshot) {
  const std::vector<Standing> standings = standings_of(snapshot);
  std::vector<Row> rows;
  rows.reserve(snapshot.ranks.size());
  for (std::size_t i = 0; i < snapshot.ranks.size(); ++i) {
    rows.push_back(make_row({&snapshot.ranks[i]}, standings[i]));
  }
  add_waiters(snapshot, rows);
  return rows;
}

std::vector<Row> folded_rows(const watch::Snapshot& snapshot) {
  const std::vector<Standing> standings = standings_of(snapshot);
  std::map<FoldKey, std::vector<const RankView*>> groups;
  for (std::size_t i = 0; i < snapshot.ranks.size(); ++i) {
    groups[{standings[i], &snapshot.ranks[i]}].push_back(&snapshot.ranks[i]);
  }
  std::vector<Row> rows;
  for (auto& [key, members] : groups) rows.push_back(make_row(std::move(members), key.standing));
  add_waiters(snapshot, rows);
  return rows;
}

void sort_rows(std::vector<Row>& rows, SortBy by, bool reversed) {
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const int order = compare(a, b, by, reversed);
    return order != 0 ? order < 0 : a.first().rank < b.first().rank;
  });
}

}  // namespace lockstep::top
