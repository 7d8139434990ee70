// One stream of a job on its way to whoever reads it. A reader that is slow holds the job up, as it would
// without this program in between, but not this program: what does not fit waits here.
#pragma once

#include <cstddef>
#include <poll.h>
#include <string_view>
#include <utility>

#include "base/process/descriptor.h"

namespace lockstep::process {

class Passage {
 public:
  // `to`: where it goes, which somebody else owns; -1: nowhere.
  Passage(Descriptor from, int to) : from_(std::move(from)), to_(to) {}

  // Until it has a descriptor ready, step() does nothing.
  pollfd waits_for() const;
  // Hands on what waits, as far as there is room; then reads once, when nothing waits any more. What was
  // read, which is handed on by the next call.
  std::string_view step();

  bool has_waiting() const { return begin_ < end_; }
  // Nothing was there to be read, and nothing waits.
  bool is_drained() const { return is_empty_ && !has_waiting(); }
  void abandon();  // what waits, and all that follows
  int from() const { return from_.get(); }

 private:
  void hand_on();

  Descriptor from_;
  int to_;
  bool is_empty_ = false;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  char waiting_[1 << 16];
};

}  // namespace lockstep::process
