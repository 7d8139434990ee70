// Who has come to which collective of a running job.
//
// Kept until everyone has come. Then the meeting tells how long the first had to wait, and who came last.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/collective.h"
#include "record/definitions.h"

namespace lockstep::watch {

// The communicators of a running job, under one number for all ranks.
struct LiveCommunicator {
  std::string name;
  std::string description;  // what the user called it
  std::string backend;
  std::vector<int> members;  // global ranks in communicator order; empty when the recording does not tell
  std::size_t size = 0;      // known even where the members are not; 0: nothing tells

  const std::string& title() const { return description.empty() ? name : description; }
};

class Communicators {
 public:
  // Equal name and members are the same communicator.
  std::uint32_t number_of(const record::Definitions& definitions, std::uint32_t id);

  const LiveCommunicator& operator[](std::uint32_t number) const { return known_[number]; }

 private:
  std::vector<LiveCommunicator> known_;
  std::unordered_map<std::string, std::uint32_t> by_identity_;
};

// A collective, send or receive of a rank of a running job.
struct LiveCall {
  std::uint32_t communicator = 0;  // its number in Communicators
  std::uint64_t sequence = 0;
  model::Operation operation{};
  std::int32_t peer = -1;       // root, source or destination as a rank of the communicator
  std::int64_t begin_ns = 0;    // wall clock of its host
  std::uint64_t signature = 0;  // what must agree between the members
  bool is_repeated = false;     // one of several that share a number: coalesced
  bool is_async = false;        // the caller did not wait for it
  bool is_awaited = true;       // a posted one only from the wait for it on
};

// How long waits usually are, and how long the longest was.
class WaitHistory {
 public:
  void add(std::int64_t wait_ns);
  std::uint64_t count() const { return count_; }
  std::int64_t longest_ns() const;  // of the last some hundred

 private:
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
