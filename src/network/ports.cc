#include "network/ports.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::network {

PortSet::PortSet(std::initializer_list<Range> ranges) {
  for (const Range& range : ranges) add(range);
}

void PortSet::add(Range range) {
  if (range.first > range.last) return;
  PortRanges merged;
  bool is_placed = false;
  for (const Range& own : ranges_) {
    const bool is_before = own.last < range.first && own.last + 1 < range.first;
    const bool is_behind = range.last < own.first && range.last + 1 < own.first;
    if (is_behind && !is_placed) {
      merged.push_back(range);
      is_placed = true;
    }
    if (is_before || is_behind) {
      merged.push_back(own);
    } else {
      range = {std::min(range.first, own.first), std::max(range.last, own.last)};
    }
  }
  if (!is_placed) merged.push_back(range);
  ranges_ = std::move(merged);
}

bool PortSet::contains(std::uint16_t port) const {
  return std::ranges::any_of(ranges_,
                             [&](const Range& own) { return own.first <= port && port <= own.last; });
}

bool PortSet::intersects(const PortSet& other) const {
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    if (std::max(mine->first, theirs->first) <= std::min(mine->last, theirs->last)) return true;
    if (mine->last < theirs->last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return false;
}

PortSet PortSet::operator&(const PortSet& other) const {
  PortSet common;
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    const Range range{std::max(mine->first, theirs->first), std::min(mine->last, theirs->last)};
    if (range.first <= range.last) common.ranges_.push_back(range);
    if (mine->last < theirs->last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return common;
}

PortSet PortSet::operator-(const PortSet& other) const {
  PortSet left;
  auto theirs = other.ranges_.begin();
  for (Range own : ranges_) {
    bool is_used_up = false;
    while (theirs != other.ranges_.end() && theirs->last < own.first) ++theirs;
    for (auto at = theirs; at != other.ranges_.end() && at->first <= own.last && !is_used_up; ++at) {
      if (at->first > own.first)
        left.ranges_.push_back({own.first, static_cast<std::uint16_t>(at->first - 1)});
      is_used_up = at->last >= own.last;
      if (!is_used_up) own.first = static_cast<std::uint16_t>(at->last + 1);
    }
    if (!is_used_up) left.ranges_.push_back(own);
  }
  return left;
}

std::string to_text(const PortSet& ports) {
  std::string text;
  for (const PortSet::Range& range : ports.ranges()) {
    if (!text.empty()) text += ", ";
    text += range.first == range.last ? std::to_string(range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

PortPairs::PortPairs(PortSet source, PortSet destination) {
  add(Box{std::move(source), std::move(destination)});
}

void PortPairs::add(Box box) {
  if (!box.source.empty() && !box.destination.empty()) boxes_.push_back(std::move(box));
}

void PortPairs::add(const PortPairs& disjoint) {
  boxes_.insert(boxes_.end(), disjoint.boxes_.begin(), disjoint.boxes_.end());
}

bool PortPairs::contains(Pair pair) const {
  return std::ranges::any_of(boxes_, [&](const Box& box) {
    return box.source.contains(pair.source) && box.destination.contains(pair.destination);
  });
}

std::optional<PortPairs::Pair> PortPairs::any() const {
  if (boxes_.empty()) return std::nullopt;
  return Pair{boxes_.front().source.lowest(), boxes_.front().destination.lowest()};
}

PortPairs PortPairs::operator&(const Box& other) const {
  PortPairs common;
  for (const Box& box : boxes_)
    common.add(Box{box.source & other.source, box.destination & other.destination});
  return common;
}

PortPairs PortPairs::operator&(const PortPairs& other) const {
  PortPairs common;
  for (const Box& box : other.boxes_) common.add(*this & box);
  return common;
}

PortPairs PortPairs::operator-(const Box& other) const {
  PortPairs left;
  for (const Box& box : boxes_) {
    const PortSet shared = box.source & other.source;
    left.add(Box{box.source - shared, box.destination});
    left.add(Box{shared, box.destination - other.destination});
  }
  return left;
}

PortPairs PortPairs::operator-(const PortPairs& other) const {
  PortPairs left = *this;
  for (const Box& box : other.boxes_) left = left - box;
  return left;
}

}  // namespace lockstep::network
