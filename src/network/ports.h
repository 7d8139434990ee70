// Sets of ports, and of pairs of ports, with exact arithmetic on intervals.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::network {

class PortSet {
 public:
  struct Range {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    bool operator==(const Range&) const = default;
  };

  PortSet() = default;  // empty
  PortSet(std::initializer_list<Range> ranges);
  static PortSet all() { return PortSet{{0, 65535}}; }
  static PortSet one(std::uint16_t port) { return PortSet{{port, port}}; }

  bool operator==(const PortSet&) const = default;

  void add(Range range);  // a range that is the wrong way round adds nothing
  bool empty() const { return ranges_.empty(); }
  bool is_all() const { return ranges_.size() == 1 && ranges_[0].first == 0 && ranges_[0].last == 65535; }
  bool contains(std::uint16_t port) const;
  bool intersects(const PortSet& other) const;
  std::uint16_t lowest() const { return ranges_.front().first; }  // of a set that is not empty
  const std::vector<Range>& ranges() const { return ranges_; }

  PortSet operator&(const PortSet& other) const;
  PortSet operator-(const PortSet& other) const;
  PortSet complement() const { return all() - *this; }

 private:
  std::vector<Range> ranges_;  // sorted, with gaps between them
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
