#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/lines.h"
#include "top/figures.h"
#include "top/line.h"
#include "top/pages/pages.h"

namespace lockstep::top {
namespace {

constexpr int kColumnsForHost = 110;
constexpr int kWidestHost = 16;
constexpr int kNarrowestRanks = 5;
constexpr int kRateWidth = 6;
constexpr int kLateWidth = 5;
constexpr int kTimeWidth = 6;
constexpr int kShareWidth = 4;
// With the blanks between them.
constexpr int kFigures = kWidestState + kRateWidth + kLateWidth + kShareWidth + kTimeWidth + 6;

int widest_label(const std::vector<Row>& rows, int most) {
  int widest = kNarrowestRanks;
  for (const Row& row : rows) {
    if (widest >= most) break;
    const int needed = row.members.size() == 1 ? static_cast<int>(std::to_string(row.first().rank).size())
                                               : report::display_width(rank_label(ranks_of(row), most));
    widest = std::max(widest, needed);
  }
  return std::min(widest, most);
}

std::string host_of(const Row& row) {
  std::set<std::string_view> hosts;
  for (const watch::RankView* view : row.members) hosts.insert(view->host);
  return hosts.size() == 1 ? safe(row.first().host) : fmt::format("{} hosts", grouped(hosts.size()));
}

Ink ink_if(bool condition, Ink ink) {
  return condition ? ink : Ink::kPlain;
}

// Without the communicator: what comes after " in " is what one misses least.
std::string shortened(const std::string& doing) {
  return doing.substr(0, doing.find(" in "));
}

// Of a rank that has ended. Nothing for others.
std::string ending_of(const Row& row, const std::string& doing) {
  const watch::RankView& view = row.first();
  const bool has_failed = view.exit_status.value_or(0) != 0;
  if (view.state != watch::RankState::kGone && !has_failed) return "";
  const std::string was = doing.empty() ? "" : "was in " + doing;
  if (has_failed) return fmt::format("exit status {}{}{}", *view.exit_status, was.empty() ? "" : ", ", was);
  return was.empty() ? "ended without a word" : was;
}

Line waiting_in_words(const std::string& doing, const std::vector<int>& waits_for, int columns) {
  const std::string waits = "waits for " + rank_label(waits_for, std::max(6, columns - 28));
  const int waits_width = report::display_width(waits);
  if (doing.empty()) return Line(cut(waits, columns), Ink::kWarning);
  if (report::display_width(doing) + 2 + waits_width <= columns) {
    return Line(doing + "  ").add(waits, Ink::kWarning);
  }
  Line line(cut(shortened(doing), std::max(8, columns - waits_width - 1)) + " ");
  line.add(cut(waits, columns - line.width()), Ink::kWarning);
  return line;
}

}  // namespace

Line doing_in_words(const Row& row, int columns) {
  const std::string doing = safe(doing_of(row));
  const std::string ending = ending_of(row, doing);
  if (!ending.empty()) return Line(cut(ending, columns));
  const bool is_one_wait =
      row.standing == Standing::kWaiting || (row.standing <= Standing::kLate && row.members.size() == 1);
  if (is_one_wait && !row.first().waits_for.empty()) {
    return waiting_in_words(doing, row.first().waits_for, columns);
  }
  if (doing.empty() && row.longest_waiter != nullptr) {
    return Line(cut("others wait in " + safe(row.longest_waiter->doing), columns));
  }
  return Line(cut(doing, columns));
}

RankTable::RankTable(const std::vector<Row>& rows, int columns) {
  rank_width_ = widest_label(rows, std::max(16, columns / 4 - 6));
  if (columns >= kColumnsForHost) {
    for (const Row& row : rows) {
      if (host_width_ >= kWidestHost) break;
      host_width_ = std::max(host_width_, report::display_width(host_of(row)));
    }
    host_width_ = std::min(host_width_, kWidestHost);
  }
  doing_width_ = std::max(0, columns - rank_width_ - kFigures - (has_host() ? host_width_ + 1 : 0));
}

Line RankTable::head(SortBy sorted_by) const {
  const auto ink_for = [sorted_by](SortBy by) { return sorted_by == by ? Ink::kSortedHead : Ink::kHead; };
  Line line;
  line.add(left_aligned("RANK", rank_width_ + 1), ink_for(SortBy::kRank));
  if (has_host()) line.add(left_aligned("HOST", host_width_ + 1), Ink::kHead);
  line.add(left_aligned("STATE", kWidestState + 1), ink_for(SortBy::kState));
  line.add(right_aligned("STEP/S", kRateWidth), ink_for(SortBy::kStepRate));
  line.add(right_aligned("LATE", kLateWidth + 1), ink_for(SortBy::kLateness));
  line.add(right_aligned("COMM", kShareWidth + 1), ink_for(SortBy::kCommunication));
  line.add(right_aligned("FOR", kTimeWidth + 1), Ink::kHead);
  return line.add(left_aligned(" DOING", doing_width_ + 1), Ink::kHead);
}

Line RankTable::line_of(const Row& row) const {
  Line line;
  const Ink ink = ink_of(row);
  line.add(left_aligned(rank_label(ranks_of(row), rank_width_), rank_width_ + 1),
           ink_if(row.standing <= Standing::kStraggler, ink));
  if (has_host()) line.add(left_aligned(host_of(row), host_width_ + 1));
  line.add(left_aligned(word_of(row), kWidestState + 1), ink);
  line.add(right_aligned(or_dash(row.steps_per_second, short_rate), kRateWidth));
  line.add(right_aligned(or_dash(row.lateness_ns, short_time), kLateWidth + 1),
           ink_if(row.standing == Standing::kStraggler, Ink::kWarning));
  line.add(right_aligned(or_dash(row.communication_share, short_share), kShareWidth + 1));
  const bool is_only_awaited = !row.for_ns && row.longest_waiter != nullptr;
  const std::optional<std::int64_t> for_ns = is_only_awaited ? row.longest_waiter->for_ns : row.for_ns;
  line.add(right_aligned(or_dash(for_ns, short_time), kTimeWidth + 1)).add(" ");
  line.append(doing_in_words(row, doing_width_));
  return line;
}

}  // namespace lockstep::top
