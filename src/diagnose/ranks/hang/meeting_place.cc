#include "diagnose/ranks/hang/meeting_place.h"

#include <algorithm>
#include <array>

namespace lockstep::ranks {
namespace {

// The earlier phase first: init_process_group ends in the same wait as every other collective.
constexpr std::array kMeetingPlaces = {
    MeetingPlace{"torch/distributed/rendezvous.py", "", Phase::kSetup},
    MeetingPlace{"distributed_c10d.py", "init_process_group", Phase::kSetup},
    MeetingPlace{"distributed_c10d.py", "_store_based_barrier", Phase::kSetup},
    MeetingPlace{"horovod/common/basics.py", "init", Phase::kSetup},
    MeetingPlace{"collective_all_reduce_strategy.py", "_initialize_multi_worker", Phase::kSetup},
    MeetingPlace{"eager/context.py", "ensure_initialized", Phase::kSetup},
    MeetingPlace{"torch/nn/parallel/distributed.py", "__init__", Phase::kPrepare},
    MeetingPlace{"torch/distributed/utils.py", "_sync_module_states", Phase::kPrepare},
    MeetingPlace{"horovod/", "broadcast_parameters", Phase::kPrepare},
    MeetingPlace{"horovod/", "broadcast_optimizer_state", Phase::kPrepare},
    MeetingPlace{"horovod/", "broadcast_variables", Phase::kPrepare},
    MeetingPlace{"collective_all_reduce_strategy.py", "initial_value_fn", Phase::kPrepare},
    MeetingPlace{"distributed_c10d.py", "", Phase::kTrain},
    MeetingPlace{"torch/autograd/graph.py", "_engine_run_backward", Phase::kTrain},
    MeetingPlace{"horovod/torch/mpi_ops", "", Phase::kTrain},
    MeetingPlace{"horovod/tensorflow/mpi_ops", "", Phase::kTrain},
    MeetingPlace{"eager/execute.py", "quick_execute", Phase::kTrain},
    MeetingPlace{"eager/context.py", "call_function", Phase::kTrain},
    MeetingPlace{"framework/ops.py", "_numpy", Phase::kTrain},
};

bool is_at(const model::Frame& frame, const MeetingPlace& place) {
  return frame.file.find(place.file) != std::string::npos &&
         frame.function.find(place.function) != std::string::npos;
}

bool is_a_wrapper(std::string_view function) {
  return function == "wrapper" || function.find("<locals>") != std::string_view::npos;
}

}  // namespace

const MeetingPlace* meeting_place_of(const model::Stack& stack) {
  for (const MeetingPlace& place : kMeetingPlaces) {
    if (std::ranges::any_of(stack, [&](const model::Frame& frame) { return is_at(frame, place); }))
      return &place;
  }
  return nullptr;
}

std::string meeting_call_of(const model::Stack& stack) {
  const MeetingPlace* place = meeting_place_of(stack);
  if (place == nullptr) return "";
  if (place->function == "_engine_run_backward") return "backward";
  if (place->file.starts_with("eager/") || place->file.starts_with("framework/"))
    return "a TensorFlow function";
  // The outermost function of the framework is the one that the user called.
  std::string call;
  for (const model::Frame& frame : stack) {
    if (is_at(frame, *place) && !is_a_wrapper(frame.function)) call = frame.function;
  }
  if (call == "__init__") return "DistributedDataParallel()";
  return call;
}

model::Leaf leaf_of(Phase phase) {
  switch (phase) {
    case Phase::kSetup:
      return model::Leaf::kSetupHang;
    case Phase::kPrepare:
      return model::Leaf::kPrepHang;
    case Phase::kTrain:
      return model::Leaf::kPerfHang;
  }
  return model::Leaf::kPerfHang;
}

}  // namespace lockstep::ranks
