// A training job on a mesh of tensor, context, data, expert and pipeline parallel ranks: its process groups,
// and the calls each rank's program makes, in order.
//
// Nothing here knows how a hang is judged, and nothing is timed: what a call needs before its device may
// start it is an edge to an earlier call of the same rank.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace lockstep::dumps {

struct Group {
  std::string name;         // PyTorch's: a counter
  std::string description;  // "mesh_tp", "TENSOR_MODEL_PARALLEL_GROUP" ...
  std::vector<int> members;
};

enum class OpKind {
  kCollective,
  kBroadcast,  // its source is done as soon as it has sent
  kSend,
  kReceive,
  kBatch,  // sends and receives of one batch_isend_irecv
  kSync    // the host waits for the device; recorded nowhere
};

struct Message {
  bool is_send = false;
  int peer = 0;  // global rank
  int elements = 0;
  int channel = 0;   // numbered by group, source and target
  std::string name;  // as the recorder calls it: "send 0->1", by ranks in the group
};

struct Op {
  OpKind kind = OpKind::kCollective;
  int group = -1;
  std::string name;  // as the recorder calls it: "_all_gather_base"
  int elements = 0;
  int source = -1;                // of a broadcast
  std::vector<Message> messages;  // of sends, receives and batches
  std::vector<int> after;         // places of earlier ops in the program
};

using Program = std::vector<Op>;

enum class Schedule { kOneForwardOneBackward, kInterleaved, kZeroBubble };
enum class Naming { kMegatron, kDeviceMesh, kNone };

struct MeshPlan {
  std::vector<int> tensor_of_stage = {1};  // uneven where stages differ
  int context = 1;
  int data = 1;
  int expert = 1;  // divides context * data
  Schedule schedule = Schedule::kOneForwardOneBackward;
  Naming naming = Naming::kMegatron;
  int micro_batches = 2;
  std::vector<int> layers_of_stage = {1};
  int steps = 2;
  bool batches_messages = false;  // 1F1B alone
  bool broadcasts_data = false;

  int stages() const { return static_cast<int>(tensor_of_stage.size()); }
};

struct MeshJob {
  MeshPlan plan;
  int ranks = 0;
  std::vector<Group> groups;      // 0 is the world
  std::vector<Program> programs;  // by rank
  int channels = 0;
  int run_ahead = 64;  // calls a host issues before its device has finished them
};

MeshJob make_job(const MeshPlan& plan);

// Up to `max_ranks` ranks.
MeshPlan random_plan(std::mt19937& random, int max_ranks);

}  // namespace lockstep::dumps
