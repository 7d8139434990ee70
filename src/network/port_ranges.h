// A list of port ranges that keeps up to four of them without memory of its own: rules have one or two, and
// sweeps make and drop millions of such lists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace lockstep::network {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  bool operator==(const PortRange&) const = default;
};

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

}  // namespace lockstep::network
