#include "top/rows/row.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "top/figures.h"
#include "top/line.h"
#include "top/rows/waits.h"

namespace lockstep::top {

namespace {

using watch::RankState;
using watch::RankView;

// A figure that is not a number has no place in an order.
bool has_place(double value) {
  return !std::isnan(value);
}
bool has_place(std::int64_t /*value*/) {
  return true;
}

template <typename T>
std::vector<T> known_values(const std::vector<const RankView*>& members, std::optional<T> RankView::*field) {
  std::vector<T> values;
  for (const RankView* view : members) {
    if (view->*field && has_place(*(view->*field))) values.push_back(*(view->*field));
  }
  return values;
}

template <typename T>
std::optional<T> middle(std::vector<T> values) {
  if (values.empty()) return std::nullopt;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

template <typename T>
std::optional<T> largest(const std::vector<T>& values) {
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

template <typename Field>
bool all_equal(const Row& row, Field field) {
  return std::all_of(row.members.begin(), row.members.end(),
                     [&](const RankView* view) { return view->*field == row.first().*field; });
}

// At ordinary work a short wait is a part of the call, and a rank that others wait for a moment computes.
std::size_t count_in_call(const Row& row) {
  const auto is_in_call = [](const RankView* view) {
    return view->state == RankState::kCommunicating || view->state == RankState::kWaiting;
  };
  return static_cast<std::size_t>(std::count_if(row.members.begin(), row.members.end(), is_in_call));
}

std::string counts_at_work(const Row& row) {
  const std::size_t in_call = count_in_call(row);
  const std::size_t computing = row.members.size() - in_call;
  if (computing == 0) return fmt::format("{} in calls", grouped(in_call));
  if (in_call == 0) return fmt::format("{} computing", grouped(computing));
  return fmt::format("{} computing, {} in calls", grouped(computing), grouped(in_call));
}

}  // namespace

bool Row::has(int rank) const {
  const auto place = std::lower_bound(members.begin(), members.end(), rank,
                                      [](const RankView* view, int wanted) { return view->rank < wanted; });
  return place != members.end() && (*place)->rank == rank;
}

Row make_row(std::vector<const RankView*> members, Standing standing) {
  Row row;
  row.members = std::move(members);
  row.standing = standing;
  row.for_ns = largest(known_values(row.members, &RankView::for_ns));
  row.steps_per_second = middle(known_values(row.members, &RankView::steps_per_second));
  row.communication_share = middle(known_values(row.members, &RankView::communication_share));
  row.lateness_ns = largest(known_values(row.members, &RankView::lateness_ns));
  return row;
}

std::string_view word_of(const Row& row) {
  if (row.standing == Standing::kStraggler) return "straggler";
  if (row.standing != Standing::kRunning) return word_of(row.first().state);
  const auto in_call = count_in_call(row);
  if (in_call != 0 && in_call != row.members.size()) return "running";
  return word_of(in_call == 0 ? RankState::kComputing : RankState::kCommunicating);
}

Ink ink_of(const Row& row) {
  switch (row.standing) {
    case Standing::kGuilty:
    case Standing::kDead:
    case Standing::kStopped:
    case Standing::kLate:
      return Ink::kAlarm;
    case Standing::kStraggler:
    case Standing::kWaiting:
      return Ink::kWarning;
    case Standing::kStarting:
    case Standing::kEnded:
      return Ink::kDim;
    case Standing::kRunning:
      break;
  }
  return count_in_call(row) == row.members.size() ? ink_of(RankState::kCommunicating) : Ink::kGood;
}

std::string doing_of(const Row& row) {
  if (all_equal(row, &RankView::doing)) return row.first().doing;
  return counts_at_work(row);
}

std::vector<int> ranks_of(const Row& row) {
  std::vector<int> ranks;
  ranks.reserve(row.members.size());
  for (const RankView* view : row.members) ranks.push_back(view->rank);
  return ranks;
}

std::string rank_label(const std::vector<int>& ranks, int columns) {
  std::string shown;       // all runs so far
  std::string with_count;  // the longest beginning after which the count of the others still fits
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    const std::string run =
        first == last ? fmt::format("{}", ranks[first]) : fmt::format("{}-{}", ranks[first], ranks[last]);
    shown += (shown.empty() ? "" : ",") + run;
    first = last + 1;
    if (static_cast<int>(shown.size()) > columns) break;
    const std::string cut_here = fmt::format("{},…+{}", shown, ranks.size() - first);
    if (static_cast<int>(cut_here.size()) - 2 <= columns) with_count = cut_here;  // "…" has 3 bytes
  }
  if (static_cast<int>(shown.size()) <= columns) return shown;
  return with_count.empty() ? cut(fmt::format("{} ranks", ranks.size()), columns) : with_count;
}

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
