// A distributed training job as the evidence shows it: the common representation of all frameworks. Readers
// fill it, analysis judges it, nothing prints it directly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/collective.h"
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
  const std::vector<Value>& values() const { return values_; }

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

struct Checksums {
  std::uint64_t input = 0;
  std::uint64_t output = 0;

  bool operator==(const Checksums&) const = default;
};

// What one reader made of one input, and what merge() makes of all of them.
struct Job {
  std::string framework;  // pytorch, tensorflow, keras, horovod, mpi; empty when nothing tells
  std::string backend;    // nccl, gloo, mpi, grpc ...; empty when nothing tells
  std::optional<int> world_size;
  std::vector<Host> hosts;
  std::vector<RankHistory> ranks;    // those that left evidence, ascending by number once merged
  std::vector<std::string> sources;  // input files as the user knows them, by SourceId
  std::vector<std::string> limits;   // what the evidence cannot show, in words

  Interned<CommunicatorId, Communicator, CommunicatorHash> communicators;
  Interned<CollectiveId, Collective, CollectiveHash> collectives;
  Interned<StackId, Stack, StackHash> stacks;
  Interned<NameId, std::string, std::hash<std::string>> names;
  std::vector<Checksums> checksums;  // by ChecksumsId

  const RankHistory* find_rank(int number) const;  // of a merged job
};

}  // namespace lockstep::model
