// Who has come to which collective of a running job.
//
// Kept until everyone has come. Then the meeting tells how long the first had to wait, and who came last.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run/watch/communicators.h"
#include "run/watch/live_call.h"

namespace lockstep::watch {

// How long waits usually are, and how long the longest was.
class WaitHistory {
 public:
  void add(std::int64_t wait_ns);
  std::uint64_t count() const { return count_; }
  std::int64_t longest_ns() const;  // of the last some hundred

 private:
  static constexpr std::uint64_t kKept = 256;
  std::vector<std::int64_t> newest_;
  std::uint64_t count_ = 0;
};

class Meetings {
 public:
  // Ranks of one process are told apart by `rank`, the global one.
  void arrive(int rank, const LiveCall& call, const LiveCommunicator& communicator);

  const WaitHistory& waits() const { return waits_; }
  // How long the others usually wait for this rank.
  std::int64_t usual_lateness_ns(int rank) const;

  // Whether, since it was last asked, two ranks came to one collective with calls that may not fit.
  bool take_suspicion();

 private:
  struct Key {
    std::uint64_t sequence = 0;
    std::uint32_t communicator = 0;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.sequence * 0x9E3779B97F4A7C15ULL ^ key.communicator * 0xD1B54A32D192ED03ULL;
    }
  };
  struct Arrival {
    int rank = 0;
    std::int64_t begin_ns = 0;
  };
  struct Meeting {
    std::uint64_t signature = 0;
    std::vector<Arrival> arrivals;
  };

  void finish(const Meeting& meeting);

  std::unordered_map<Key, Meeting, KeyHash> open_;
  std::unordered_map<int, double> lateness_ns_;
  WaitHistory waits_;
  bool is_suspicious_ = false;
};

}  // namespace lockstep::watch
