#include "readers/lockstep/call_index.h"

#include <algorithm>
#include <tuple>

#include "model/collective.h"

namespace lockstep::readers {

std::size_t CallIndex::LaneKeyHash::operator()(const LaneKey& key) const {
  std::uint64_t hash = key.communicator * 0x9E3779B97F4A7C15ULL;
  hash ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.peer)) + 1) * 0xD1B54A32D192ED03ULL;
  return hash ^ (static_cast<std::uint64_t>(key.direction) * 0xA24BAED4963EE407ULL);
}

std::uint32_t CallIndex::lane_of(const CallKey& key) {
  LaneKey lane{.communicator = key.communicator, .direction = {}, .peer = -1};
  if (model::is_point_to_point(key.operation)) {
    lane.direction = key.operation;
    lane.peer = key.peer;
  }
  if (last_lane_ != kNoCall && lane == last_key_) return last_lane_;
  const auto [place, is_new] = place_of_.try_emplace(lane, static_cast<std::uint32_t>(lanes_.size()));
  if (is_new) lanes_.emplace_back();
  last_key_ = lane;
  last_lane_ = place->second;
  return last_lane_;
}

bool CallIndex::fits(std::uint32_t call, std::uint64_t sequence, model::Operation operation,
                     CallWord word) const {
  const model::Event& event = events_[call];
  if (event.sequence != sequence || operation_of(call) != operation) return false;
  if (word == CallWord::kInputSum) return sums_of(event).input == 0;
  if (word == CallWord::kOutputSum) return sums_of(event).output == 0;
  return event.end_ns == model::kNoTime;
}

model::Checksums CallIndex::sums_of(const model::Event& event) const {
  const auto sums = static_cast<std::size_t>(event.checksums);
  return sums < job_.checksums.size() ? job_.checksums[sums] : model::Checksums();
}

std::uint32_t CallIndex::find(const CallKey& key, CallWord word) {
  constexpr std::uint64_t kNear = 2;  // as far as the guess may be wrong
  Lane& lane = lanes_[lane_of(key)];
  if (lane.calls.empty()) return kNoCall;
  const std::uint64_t first = events_[lane.calls.front()].sequence;
  const std::uint64_t guess = key.sequence - first + static_cast<std::uint64_t>(lane.shift);
  for (std::uint64_t step = 0; step <= 2 * kNear; ++step) {
    const std::uint64_t place = step <= kNear ? guess + step : guess - (step - kNear);
    if (place >= lane.calls.size() || !fits(lane.calls[place], key.sequence, key.operation, word)) continue;
    lane.shift = static_cast<std::int64_t>(static_cast<std::uint64_t>(lane.shift) + place - guess);
    return lane.calls[place];
  }
  return kNoCall;
}

void CallIndex::wait_for(const CallKey& key, CallWord word, std::uint32_t note) {
  Lane& lane = lanes_[lane_of(key)];
  if (lane.first_waiting == lane.waiting.size()) {
    lane.waiting.clear();
    lane.first_waiting = 0;
  }
  lane.waiting.push_back({.sequence = key.sequence, .note = note, .operation = key.operation, .word = word});
}

// Numbers rise: what waits for a smaller one than the newest call waits in vain here.
const CallIndex::Waiting* CallIndex::next_of_queue(Lane& lane) {
  const std::uint32_t newest = lane.calls.back();
  while (lane.first_waiting < lane.waiting.size()) {
    const Waiting& waiting = lane.waiting[lane.first_waiting];
    if (waiting.sequence > events_[newest].sequence) return nullptr;
    ++lane.first_waiting;
    if (fits(newest, waiting.sequence, waiting.operation, waiting.word)) return &waiting;
    postponed_.push_back({.lane = static_cast<std::uint32_t>(&lane - lanes_.data()), .waiting = waiting});
  }
  return nullptr;
}

void CallIndex::sort_all() {
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    for (; lane.first_waiting < lane.waiting.size(); ++lane.first_waiting) {
      postponed_.push_back({.lane = i, .waiting = lane.waiting[lane.first_waiting]});
    }
  }
  if (postponed_.empty()) return;
  const auto by_number = [this](std::uint32_t a, std::uint32_t b) { return number_of(a) < number_of(b); };
  for (Lane& lane : lanes_) {
    if (!std::ranges::is_sorted(lane.calls, by_number)) std::ranges::stable_sort(lane.calls, by_number);
  }
  std::ranges::stable_sort(postponed_, [](const Postponed& a, const Postponed& b) {
    return std::tie(a.lane, a.waiting.sequence, a.waiting.operation, a.waiting.word) <
           std::tie(b.lane, b.waiting.sequence, b.waiting.operation, b.waiting.word);
  });
}

// Questions with the same key go on where the last one found its call: many may share one.
std::uint32_t CallIndex::find_sorted(const Postponed& asked) {
  const std::vector<std::uint32_t>& calls = lanes_[asked.lane].calls;
  const Waiting& waiting = asked.waiting;
  const bool goes_on = last_asked_ != nullptr && last_asked_->lane == asked.lane &&
                       number_of(last_asked_->waiting) == number_of(waiting) &&
                       last_asked_->waiting.word == waiting.word;
  last_asked_ = &asked;
  if (!goes_on) {
    const auto first = std::lower_bound(
        calls.begin(), calls.end(), number_of(waiting),
        [this](std::uint32_t call, const Number& number) { return number_of(call) < number; });
    last_found_ = static_cast<std::size_t>(first - calls.begin());
  }
  for (; last_found_ < calls.size() && number_of(calls[last_found_]) == number_of(waiting); ++last_found_) {
    const std::uint32_t call = calls[last_found_];
    if (fits(call, waiting.sequence, waiting.operation, waiting.word)) return call;
  }
  return kNoCall;
}

}  // namespace lockstep::readers
