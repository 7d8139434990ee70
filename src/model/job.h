// A distributed training job as the evidence shows it: the common representation of all frameworks. Readers
// fill it, analysis judges it, nothing prints it directly.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/collective.h"
#include "model/communicator.h"
#include "model/event.h"
#include "model/rank.h"

namespace lockstep::model {

struct Frame {
  std::string function;
  std::string file;
  int line = 0;

  bool operator==(const Frame&) const = default;
};
using Stack = std::vector<Frame>;  // innermost first

// Values kept once and named by a number, in the order in which they were first seen.
template <typename Id, typename Value, typename Hash>
class Interned {
 public:
  Id intern(const Value& value) {
    const auto [place, is_new] = ids_.try_emplace(value, static_cast<Id>(values_.size()));
    if (is_new) values_.push_back(value);
    return place->second;
  }
  const Value& operator[](Id id) const { return values_.at(static_cast<std::size_t>(id)); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<Value> values_;
  std::unordered_map<Value, Id, Hash> ids_;
};

struct CollectiveHash {
  std::size_t operator()(const Collective& collective) const;
};
struct StackHash {
  std::size_t operator()(const Stack& stack) const;
};
struct CommunicatorHash {
  std::size_t operator()(const Communicator& communicator) const;
};

struct Job {
  std::string framework;  // pytorch, tensorflow, keras, horovod, mpi; empty when nothing tells
  std::string backend;    // nccl, gloo, mpi, grpc ...; empty when nothing tells
  std::optional<int> world_size;
  std::vector<Host> hosts;
  std::map<int, Rank> ranks;                 // by global rank: those that left evidence
  std::map<int, std::vector<Event>> events;  // by global rank, in the order in which the rank issued them

  Interned<CommunicatorId, Communicator, CommunicatorHash> communicators;
  Interned<CollectiveId, Collective, CollectiveHash> collectives;
  Interned<StackId, Stack, StackHash> stacks;
  Interned<NameId, std::string, std::hash<std::string>> names;
};

}  // namespace lockstep::model
