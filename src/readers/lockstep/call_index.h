// Finds the call that a later record speaks of: its completion, its checksums.
//
// Records of a communicator mostly stand in the order of their numbers and without gaps, so the place of a
// call follows from its number. Where another thread says that calls are done, its chunk may come before
// theirs: what it says waits until they come. What no rule finds (dropped records, calls from many threads)
// is kept and answered at the end by sorting.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/job.h"

namespace lockstep::readers {

struct CallKey {
  std::uint32_t communicator = 0;
  std::int32_t peer = -1;  // counts only for sends and receives
  std::uint64_t sequence = 0;
  model::Operation operation{};
};

// Adapters sum what a call is given and what it gives back at different times, in one record or in two.
enum class CallWord : std::uint8_t { kStarted, kDone, kInputSum, kOutputSum };

inline constexpr std::uint32_t kNoCall = ~std::uint32_t{0};

class CallIndex {
 public:
  // Both must outlive it; the events are those the numbers of calls stand for.
  CallIndex(const std::vector<model::Event>& events, const model::Job& job) : events_(events), job_(job) {}

  // Calls `use(event, word, note)` for what waited for this call.
  template <typename Use>
  void add(const CallKey& key, std::uint32_t event, const Use& use) {
    Lane& lane = lanes_[lane_of(key)];
    lane.calls.push_back(event);
    while (const Waiting* waiting = next_waiting(lane)) use(event, waiting->word, waiting->note);
  }

  // The event of the call, or kNoCall. Coalesced calls share a key: then the first of which this word was not
  // yet said.
  std::uint32_t find(const CallKey& key, CallWord word);

  // For what find() did not find. The meaning of `note` is the caller's.
  void wait_for(const CallKey& key, CallWord word, std::uint32_t note);

  // The same as add() does, for everything that still waits and has a call after all.
  template <typename Use>
  void settle(const Use& use) {
    sort_all();
    for (const Postponed& asked : postponed_) {
      const std::uint32_t event = find_sorted(asked);
      if (event != kNoCall) use(event, asked.waiting.word, asked.waiting.note);
    }
  }

 private:
  struct Waiting {
    std::uint64_t sequence = 0;
    std::uint32_t note = 0;
    model::Operation operation{};
    CallWord word = CallWord::kDone;
  };
  // The calls with one counter: those of a communicator, or the sends or receives with one peer.
  struct Lane {
    std::vector<std::uint32_t> calls;
    std::int64_t shift = 0;  // of places against numbers, as the last find() saw it
    std::vector<Waiting> waiting;
    std::size_t first_waiting = 0;
  };
  struct LaneKey {
    std::uint32_t communicator = 0;
    model::Operation direction{};
    std::int32_t peer = -1;

    bool operator==(const LaneKey&) const = default;
  };
  struct LaneKeyHash {
    std::size_t operator()(const LaneKey& key) const;
  };
  struct Postponed {
    std::uint32_t lane = 0;
    Waiting waiting;
  };
  using Number = std::pair<std::uint64_t, model::Operation>;

  model::Operation operation_of(std::uint32_t call) const {
    return job_.collectives[events_[call].collective].operation;
  }
  Number number_of(std::uint32_t call) const { return {events_[call].sequence, operation_of(call)}; }
  static Number number_of(const Waiting& waiting) { return {waiting.sequence, waiting.operation}; }
  model::Checksums sums_of(const model::Event& event) const;
  bool fits(std::uint32_t call, std::uint64_t sequence, model::Operation operation, CallWord word) const;

  std::uint32_t lane_of(const CallKey& key);
  // What waits for the newest call of the lane, one after another.
  const Waiting* next_waiting(Lane& lane) {
    return lane.first_waiting == lane.waiting.size() ? nullptr : next_of_queue(lane);
  }
  const Waiting* next_of_queue(Lane& lane);
  void sort_all();
  std::uint32_t find_sorted(const Postponed& asked);

  const std::vector<model::Event>& events_;
  const model::Job& job_;
  std::vector<Lane> lanes_;
  std::unordered_map<LaneKey, std::uint32_t, LaneKeyHash> place_of_;
  LaneKey last_key_;
  std::uint32_t last_lane_ = kNoCall;
  std::vector<Postponed> postponed_;
  const Postponed* last_asked_ = nullptr;
  std::size_t last_found_ = 0;
};

}  // namespace lockstep::readers
