// Jobs for tests, written the way one would tell them: who issued what, and how far it got.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "model/collective.h"
#include "model/job.h"

namespace lockstep::ranks::testing {

struct Call {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::uint64_t sequence = model::kNoSequence;
  model::Operation operation = model::Operation::kAllReduce;
  model::Shape shape = {16};
  model::DataType type = model::DataType::kFloat32;
  model::EventState state = model::EventState::kCompleted;
  std::optional<int> peer = std::nullopt;
  std::int64_t begin_ns = model::kNoTime;
  std::int64_t end_ns = model::kNoTime;
};

class JobSketch {
 public:
  // A job in which every rank left evidence and the communicator world() has all of them.
  explicit JobSketch(int ranks) {
    std::vector<int> everyone(static_cast<std::size_t>(ranks));
    std::iota(everyone.begin(), everyone.end(), 0);
    job.world_size = ranks;
    job.ranks.resize(everyone.size());
    for (const int number : everyone) {
      job.ranks[static_cast<std::size_t>(number)].rank.number = number;
      job.ranks[static_cast<std::size_t>(number)].sources = {static_cast<model::SourceId>(number)};
      job.sources.push_back("rank_" + std::to_string(number));
    }
    world_ = group("world", std::move(everyone));
  }

  model::CommunicatorId world() const { return world_; }

  model::CommunicatorId group(const std::string& name, std::vector<int> members) {
    const int size = static_cast<int>(members.size());
    return job.communicators.intern(
        {.name = name, .description = name, .backend = "nccl", .members = std::move(members), .size = size});
  }

  // The rank issues one more call, a millisecond after its last unless the call says when.
  model::Event& call(int rank, const Call& call) {
    const bool is_point_to_point = model::is_point_to_point(call.operation);
    model::Event event;
    event.kind = is_point_to_point ? model::EventKind::kPointToPoint : model::EventKind::kCollective;
    event.state = call.state;
    event.communicator = call.communicator;
    event.sequence = call.sequence;
    event.collective = job.collectives.intern({.operation = call.operation,
                                               .reduce_op = model::ReduceOp::kNone,
                                               .input_types = {call.type},
                                               .output_types = {call.type},
                                               .input_shapes = {call.shape},
                                               .output_shapes = {call.shape},
                                               .peer = call.peer});
    std::vector<model::Event>& events = history(rank).events;
    event.begin_ns = call.begin_ns != model::kNoTime
                         ? call.begin_ns
                         : static_cast<std::int64_t>(events.size() + 1) * kMillisecond;
    event.end_ns = call.end_ns;
    event.source = static_cast<model::SourceId>(rank);
    event.position = static_cast<std::uint32_t>(events.size() + 1);
    events.push_back(event);
    return events.back();
  }

  void end_step(int rank, std::uint64_t number) {
    model::Event step;
    step.kind = model::EventKind::kActivity;
    step.activity = model::Activity::kStep;
    step.sequence = number;
    history(rank).events.push_back(step);
  }

  model::RankHistory& history(int rank) { return job.ranks[static_cast<std::size_t>(rank)]; }

  // The rank left no evidence at all.
  void forget(int rank) {
    std::erase_if(job.ranks, [&](const model::RankHistory& one) { return one.rank.number == rank; });
  }

  static constexpr std::int64_t kMillisecond = 1'000'000;

  model::Job job;

 private:
  model::CommunicatorId world_ = model::CommunicatorId::kNone;
};

}  // namespace lockstep::ranks::testing
