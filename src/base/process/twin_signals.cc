#include "base/process/twin_signals.h"

#include <algorithm>

namespace lockstep::process {
namespace {

template <typename Array>
void erase_first(Array& array, std::size_t& count, std::size_t at) {
  std::move(array.begin() + static_cast<std::ptrdiff_t>(at) + 1,
            array.begin() + static_cast<std::ptrdiff_t>(count),
            array.begin() + static_cast<std::ptrdiff_t>(at));
  --count;
}

}  // namespace

void TwinSignals::note_direct(const ArrivedSignal& signal, Clock::time_point now) {
  for (std::size_t at = 0; at < held_count_; ++at) {
    One& held = held_[at];
    if (held.has_twin || !are_twins(held.signal, signal)) continue;
    held.has_twin = true;
    return;
  }
  if (direct_count_ == kMost) erase_first(direct_, direct_count_, 0);
  direct_[direct_count_++] = {signal, now};
}

void TwinSignals::hold(const ArrivedSignal& order, Clock::time_point now) {
  if (held_count_ == kMost) erase_first(held_, held_count_, 0);
  One& held = held_[held_count_++];
  held = {order, now};
  for (std::size_t at = 0; at < direct_count_; ++at) {
    if (!are_twins(direct_[at].signal, order)) continue;
    held.has_twin = now - direct_[at].since <= 10 * kTogether;
    return erase_first(direct_, direct_count_, at);
  }
}

std::optional<TwinSignals::Due> TwinSignals::next_due(Clock::time_point now) {
  if (held_count_ == 0) return std::nullopt;
  const One first = held_[0];
  if (!first.has_twin && now - first.since < kTogether) return std::nullopt;
  erase_first(held_, held_count_, 0);
  return Due{first.signal, first.has_twin};
}

std::optional<TwinSignals::Clock::time_point> TwinSignals::next_deadline() const {
  if (held_count_ == 0) return std::nullopt;
  return held_[0].has_twin ? Clock::time_point::min() : held_[0].since + kTogether;
}

}  // namespace lockstep::process
