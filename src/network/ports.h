// Sets of ports, and of pairs of ports, with exact arithmetic on intervals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::network {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  bool operator==(const PortRange&) const = default;
};

// A list of port ranges that keeps up to four of them without memory of its own: rules have one or two, and
// sweeps make and drop millions of such lists.
class PortRanges {
 public:
  PortRanges() = default;
  PortRanges(const PortRanges& other) { assign(other); }
  PortRanges(PortRanges&& other) noexcept { swap(other); }
  PortRanges& operator=(const PortRanges& other) {
    if (this != &other) assign(other);
    return *this;
  }
  PortRanges& operator=(PortRanges&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PortRanges() = default;

  bool operator==(const PortRanges& other) const { return std::ranges::equal(all(), other.all()); }

  std::span<const PortRange> all() const { return {begin(), size_}; }
  const PortRange* begin() const { return more_ ? more_.get() : few_; }
  const PortRange* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push_back(PortRange range) {
    if (size_ == room_) grow();
    (more_ ? more_.get() : few_)[size_++] = range;
  }

 private:
  static constexpr std::uint32_t kFew = 4;

  void assign(const PortRanges& other) {
    if (other.size_ > room_) {
      more_.reset(new PortRange[other.size_]);
      room_ = other.size_;
    }
    std::copy_n(other.begin(), other.size_, more_ ? more_.get() : few_);
    size_ = other.size_;
  }
  void grow() {
    std::unique_ptr<PortRange[]> larger(new PortRange[std::size_t{room_} * 2]);
    std::copy_n(begin(), size_, larger.get());
    more_ = std::move(larger);
    room_ *= 2;
  }
  void swap(PortRanges& other) noexcept {
    std::swap_ranges(few_, few_ + kFew, other.few_);
    std::swap(more_, other.more_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  PortRange few_[kFew] = {};
  std::unique_ptr<PortRange[]> more_;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = kFew;
};

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
