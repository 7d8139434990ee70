// Sets of ports, and of pairs of ports, with exact arithmetic on intervals.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/port_ranges.h"

namespace lockstep::network {

class PortSet {
 public:
  using Range = PortRange;

  PortSet() = default;  // empty
  PortSet(std::initializer_list<Range> ranges);
  static PortSet all() { return PortSet{{0, 65535}}; }
  static PortSet one(std::uint16_t port) { return PortSet{{port, port}}; }

  bool operator==(const PortSet&) const = default;

  void add(Range range);  // a range that is the wrong way round adds nothing
  void add(const PortSet& other) {
    for (const Range& range : other.ranges()) add(range);
  }
  bool empty() const { return ranges_.empty(); }
  bool contains(std::uint16_t port) const;
  bool intersects(const PortSet& other) const;
  std::uint16_t lowest() const { return ranges_.begin()->first; }  // of a set that is not empty
  std::span<const Range> ranges() const { return ranges_.all(); }

  PortSet operator&(const PortSet& other) const;
  PortSet operator-(const PortSet& other) const;
  PortSet complement() const { return all() - *this; }

 private:
  PortRanges ranges_;  // sorted, with gaps between them
};

std::string to_text(const PortSet& ports);  // "22, 29500-29510"

// Source and destination ports of packets, as disjoint rectangles.
class PortPairs {
 public:
  struct Box {
    PortSet source;
    PortSet destination;
    bool operator==(const Box&) const = default;
  };
  struct Pair {
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    bool operator==(const Pair&) const = default;
  };

  PortPairs() = default;
  PortPairs(PortSet source, PortSet destination);

  bool empty() const { return boxes_.empty(); }
  bool contains(Pair pair) const;
  std::optional<Pair> any() const;
  const std::vector<Box>& boxes() const { return boxes_; }

  PortPairs operator&(const Box& other) const;
  PortPairs operator&(const PortPairs& other) const;
  PortPairs operator-(const Box& other) const;
  PortPairs operator-(const PortPairs& other) const;
  void add(const PortPairs& disjoint);

 private:
  void add(Box box);
  std::vector<Box> boxes_;
};

}  // namespace lockstep::network
