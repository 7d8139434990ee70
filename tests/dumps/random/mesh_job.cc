#include "mesh_job.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace lockstep::dumps {
namespace {

struct Place {
  int stage = 0;
  int data = 0;
  int context = 0;
  int tensor = 0;
  auto operator<=>(const Place&) const = default;
};

enum class Dimension { kTensor, kContext, kData, kPipeline, kExpert, kExpertData };

std::string description_of(Naming naming, Dimension dimension) {
  static const std::map<Dimension, std::pair<const char*, const char*>> kNames = {
      {Dimension::kTensor, {"TENSOR_MODEL_PARALLEL_GROUP", "mesh_tp"}},
      {Dimension::kContext, {"CONTEXT_PARALLEL_GROUP", "mesh_cp"}},
      {Dimension::kData, {"DATA_PARALLEL_GROUP", "mesh_dp"}},
      {Dimension::kPipeline, {"PIPELINE_MODEL_PARALLEL_GROUP", "mesh_pp"}},
      {Dimension::kExpert, {"EXPERT_MODEL_PARALLEL_GROUP", "mesh_ep"}},
      {Dimension::kExpertData, {"EXPERT_DATA_PARALLEL_GROUP", "mesh_edp"}},
  };
  if (naming == Naming::kNone) return "undefined";
  const auto& [megatron, device_mesh] = kNames.at(dimension);
  return naming == Naming::kMegatron ? megatron : device_mesh;
}

// What one stage does with one micro batch of one chunk of its layers.
enum class Work { kForward, kBackward, kWeights };
struct Action {
  Work work = Work::kForward;
  int chunk = 0;
  int micro_batch = 0;
  auto operator<=>(const Action&) const = default;
};

int chunks_of(const MeshPlan& plan) {
  return plan.schedule == Schedule::kInterleaved && plan.stages() > 1 ? 2 : 1;
}

// The order of each stage's actions: a greedy schedule in which whatever is ready and has priority runs next,
// so that what it yields can be run.
std::vector<std::vector<Action>> schedule_of(const MeshPlan& plan) {
  const int stages = plan.stages();
  const int chunks = chunks_of(plan);
  const int virtual_stages = stages * chunks;
  const bool splits_backward = plan.schedule == Schedule::kZeroBubble;
  std::vector<std::vector<Action>> order(static_cast<std::size_t>(stages));
  std::map<std::tuple<Work, int, int>, int> done_at;  // by work, virtual stage and micro batch: the tick
  const auto is_done = [&](Work work, int at, int micro_batch, int now) {
    const auto found = done_at.find({work, at, micro_batch});
    return found != done_at.end() && found->second < now;
  };
  const int per_action = splits_backward ? 3 : 2;
  const std::size_t total = static_cast<std::size_t>(plan.micro_batches * virtual_stages * per_action);
  for (int now = 0, in_flight_more = 0; done_at.size() < total; ++now) {
    bool has_moved = false;
    for (int stage = 0; stage < stages; ++stage) {
      std::vector<Action>& mine = order[static_cast<std::size_t>(stage)];
      const auto count = [&](Work work) {
        return static_cast<int>(std::ranges::count(mine, work, &Action::work));
      };
      const int in_flight = count(Work::kForward) - count(Work::kBackward);
      const int limit = (stages - stage) + (chunks - 1) * stages + in_flight_more;
      const auto try_one = [&](Work work) {
        for (int micro_batch = 0; micro_batch < plan.micro_batches; ++micro_batch) {
          for (int chunk = 0; chunk < chunks; ++chunk) {
            const int at = chunk * stages + stage;
            if (done_at.contains({work, at, micro_batch})) continue;
            const bool is_ready = work == Work::kForward ? at == 0 || is_done(work, at - 1, micro_batch, now)
                                  : work == Work::kBackward ? is_done(Work::kForward, at, micro_batch, now) &&
                                                                  (at + 1 == virtual_stages ||
                                                                   is_done(work, at + 1, micro_batch, now))
                                                            : is_done(Work::kBackward, at, micro_batch, now);
            if (!is_ready) continue;
            done_at[{work, at, micro_batch}] = now;
            mine.push_back({work, chunk, micro_batch});
            return has_moved = true;
          }
        }
        return false;
      };
      if (try_one(Work::kBackward)) continue;
      if (in_flight < limit && try_one(Work::kForward)) continue;
      if (splits_backward) try_one(Work::kWeights);
    }
    if (!has_moved) ++in_flight_more;
  }
  return order;
}

// A tensor on its way from one stage to the next or back.
struct Transfer {
  Work work = Work::kForward;
  int to_virtual_stage = 0;
  int micro_batch = 0;
  auto operator<=>(const Transfer&) const = default;
};

class Maker {
 public:
  explicit Maker(const MeshPlan& plan) : order_(schedule_of(plan)) { job_.plan = plan; }

  MeshJob run() {
    number_ranks();
    make_groups();
    for (int rank = 0; rank < job_.ranks; ++rank) note_transfers(rank);
    for (int rank = 0; rank < job_.ranks; ++rank) write_program(rank);
    name_messages();
    return std::move(job_);
  }

 private:
  struct Groups {
    int tensor = -1, context = -1, data = -1, pipeline = -1, expert = -1, expert_data = -1;
  };
  // One rank's program under construction.
  struct Writing {
    int last_blocking = -1;
    std::vector<int> waits;                         // of ops that run beside
    std::map<std::pair<int, int>, int> posted;      // by source and group: how many receives
    std::map<std::tuple<int, Transfer>, int> from;  // which op brings it
  };

  const MeshPlan& plan() const { return job_.plan; }

  void number_ranks() {
    for (int stage = 0; stage < plan().stages(); ++stage) {
      for (int data = 0; data < plan().data; ++data) {
        for (int context = 0; context < plan().context; ++context) {
          for (int tensor = 0; tensor < plan().tensor_of_stage[static_cast<std::size_t>(stage)]; ++tensor) {
            places_.push_back({stage, data, context, tensor});
            rank_at_[places_.back()] = job_.ranks++;
          }
        }
      }
    }
    of_rank_.resize(places_.size());
    sends_.resize(places_.size());
    job_.programs.resize(places_.size());
  }

  // `key` gives the ranks of one group the same value.
  template <typename Key>
  void add_groups(Dimension dimension, int Groups::*slot, Key key) {
    std::map<decltype(key(Place{})), std::vector<int>> members;
    for (int rank = 0; rank < job_.ranks; ++rank) {
      members[key(places_[static_cast<std::size_t>(rank)])].push_back(rank);
    }
    for (auto& [value, ranks] : members) {
      if (ranks.size() < 2) continue;
      for (const int rank : ranks) {
        of_rank_[static_cast<std::size_t>(rank)].*slot = static_cast<int>(job_.groups.size());
      }
      job_.groups.push_back({.name = std::to_string(job_.groups.size()),
                             .description = description_of(plan().naming, dimension),
                             .members = std::move(ranks)});
    }
  }

  void make_groups() {
    std::vector<int> everyone;
    for (int rank = 0; rank < job_.ranks; ++rank) everyone.push_back(rank);
    job_.groups.push_back({.name = "0", .description = "default_pg", .members = std::move(everyone)});
    const auto in_batch = [&](const Place& at) { return at.data * plan().context + at.context; };
    add_groups(Dimension::kTensor, &Groups::tensor,
               [](const Place& at) { return std::tuple(at.stage, at.data, at.context); });
    add_groups(Dimension::kContext, &Groups::context,
               [](const Place& at) { return std::tuple(at.stage, at.data, at.tensor); });
    add_groups(Dimension::kData, &Groups::data,
               [](const Place& at) { return std::tuple(at.stage, at.context, at.tensor); });
    add_groups(Dimension::kPipeline, &Groups::pipeline, [&](const Place& at) {
      const int least = *std::ranges::min_element(plan().tensor_of_stage);
      return std::tuple(at.data, at.context, at.tensor % least);
    });
    if (plan().expert < 2) return;
    add_groups(Dimension::kExpert, &Groups::expert, [&](const Place& at) {
      return std::tuple(at.stage, at.tensor, in_batch(at) / plan().expert);
    });
    add_groups(Dimension::kExpertData, &Groups::expert_data, [&](const Place& at) {
      return std::tuple(at.stage, at.tensor, in_batch(at) % plan().expert);
    });
  }

  // The ranks of another stage that hold what this rank holds.
  std::vector<int> partners(int rank, int stage) const {
    Place at = places_[static_cast<std::size_t>(rank)];
    const int own = plan().tensor_of_stage[static_cast<std::size_t>(at.stage)];
    const int theirs = plan().tensor_of_stage[static_cast<std::size_t>(stage)];
    std::vector<int> found;
    for (int lane = 0; lane < std::max(own, theirs); ++lane) {
      if (lane % own != places_[static_cast<std::size_t>(rank)].tensor) continue;
      at.stage = stage;
      at.tensor = lane % theirs;
      found.push_back(rank_at_.at(at));
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  int virtual_stages() const { return plan().stages() * chunks_of(plan()); }
  int stage_of(int virtual_stage) const { return virtual_stage % plan().stages(); }

  static std::optional<Transfer> sent_by(const Action& action, int at, int virtual_stages) {
    if (action.work == Work::kForward && at + 1 < virtual_stages)
      return Transfer{Work::kForward, at + 1, action.micro_batch};
    if (action.work == Work::kBackward && at > 0)
      return Transfer{Work::kBackward, at - 1, action.micro_batch};
    return std::nullopt;
  }
  static std::optional<Transfer> needed_by(const Action& action, int at, int virtual_stages) {
    if (action.work == Work::kForward && at > 0) return Transfer{Work::kForward, at, action.micro_batch};
    if (action.work == Work::kBackward && at + 1 < virtual_stages)
      return Transfer{Work::kBackward, at, action.micro_batch};
    return std::nullopt;
  }

  int virtual_stage(const Action& action, int stage) const { return action.chunk * plan().stages() + stage; }

  void note_transfers(int rank) {
    const int stage = places_[static_cast<std::size_t>(rank)].stage;
    for (const Action& action : order_[static_cast<std::size_t>(stage)]) {
      const auto sent = sent_by(action, virtual_stage(action, stage), virtual_stages());
      if (!sent) continue;
      for (const int peer : partners(rank, stage_of(sent->to_virtual_stage))) {
        sends_[static_cast<std::size_t>(rank)][peer].push_back(*sent);
      }
    }
  }

  int add(int rank, Writing& writing, Op op, bool is_blocking) {
    Program& program = job_.programs[static_cast<std::size_t>(rank)];
    op.after = writing.waits;
    if (writing.last_blocking >= 0) op.after.push_back(writing.last_blocking);
    program.push_back(std::move(op));
    const int place = static_cast<int>(program.size()) - 1;
    if (is_blocking) {
      writing.last_blocking = place;
      writing.waits.clear();
    }
    return place;
  }

  int collective(int rank, Writing& writing, int group, const char* name, int elements,
                 bool is_blocking = true) {
    if (group < 0) return -1;
    return add(rank, writing,
               {.kind = OpKind::kCollective,
                .group = group,
                .name = name,
                .elements = elements,
                .source = -1,
                .messages = {},
                .after = {}},
               is_blocking);
  }

  int pipeline_group(int rank) const {
    const int own = of_rank_[static_cast<std::size_t>(rank)].pipeline;
    return own >= 0 ? own : 0;
  }

  int message(int rank, Writing& writing, bool is_send, int peer, int elements) {
    const int group = pipeline_group(rank);
    const OpKind alone = is_send ? OpKind::kSend : OpKind::kReceive;
    return add(
        rank, writing,
        {.kind = plan().batches_messages ? OpKind::kBatch : alone,
         .group = group,
         .name = is_send ? "send" : "recv",
         .elements = elements,
         .source = -1,
         .messages = {{.is_send = is_send, .peer = peer, .elements = elements, .channel = 0, .name = {}}},
         .after = {}},
        false);
  }

  static int elements_of(const Transfer& transfer) { return transfer.work == Work::kForward ? 4096 : 4098; }

  // Receives are posted in the order in which their source sends, up to the one that is needed now.
  void receive(int rank, Writing& writing, const Transfer& needed) {
    const int source_stage =
        stage_of(needed.work == Work::kForward ? needed.to_virtual_stage - 1 : needed.to_virtual_stage + 1);
    for (const int source : partners(rank, source_stage)) {
      const std::vector<Transfer>& sent = sends_[static_cast<std::size_t>(source)].at(rank);
      int& posted = writing.posted[{source, 0}];
      while (!writing.from.contains({source, needed})) {
        const Transfer& next = sent.at(static_cast<std::size_t>(posted++));
        writing.from[{source, next}] = message(rank, writing, false, source, elements_of(next));
      }
      writing.waits.push_back(writing.from.at({source, needed}));
    }
  }

  void compute(int rank, Writing& writing, const Action& action) {
    const Groups& groups = of_rank_[static_cast<std::size_t>(rank)];
    const int stage = places_[static_cast<std::size_t>(rank)].stage;
    const bool is_forward = action.work == Work::kForward;
    if (action.work == Work::kWeights) return;
    const int layers = plan().layers_of_stage[static_cast<std::size_t>(stage)];
    for (int layer = 0; layer < layers; ++layer) {
      collective(rank, writing, groups.context, is_forward ? "_all_gather_base" : "_reduce_scatter_base",
                 512);
      collective(rank, writing, groups.tensor, "all_reduce", is_forward ? 1024 : 1026);
      collective(rank, writing, groups.expert, "all_to_all", is_forward ? 256 : 258);
      collective(rank, writing, groups.expert, "all_to_all", is_forward ? 257 : 259);
    }
  }

  void write_step(int rank, Writing& writing) {
    const Groups& groups = of_rank_[static_cast<std::size_t>(rank)];
    const int stage = places_[static_cast<std::size_t>(rank)].stage;
    writing.posted.clear();
    writing.from.clear();
    std::vector<int> beside;
    for (const Action& action : order_[static_cast<std::size_t>(stage)]) {
      const int at = virtual_stage(action, stage);
      if (plan().broadcasts_data && action.work == Work::kForward && groups.tensor >= 0) {
        add(rank, writing,
            {.kind = OpKind::kBroadcast,
             .group = groups.tensor,
             .name = "broadcast",
             .elements = 32,
             .source = job_.groups[static_cast<std::size_t>(groups.tensor)].members.front(),
             .messages = {},
             .after = {}},
            true);
      }
      if (const auto needed = needed_by(action, at, virtual_stages())) receive(rank, writing, *needed);
      compute(rank, writing, action);
      if (const auto sent = sent_by(action, at, virtual_stages())) {
        for (const int peer : partners(rank, stage_of(sent->to_virtual_stage)))
          beside.push_back(message(rank, writing, true, peer, elements_of(*sent)));
      }
    }
    beside.push_back(collective(rank, writing, groups.data, "_reduce_scatter_base", 8192, false));
    beside.push_back(collective(rank, writing, groups.expert_data, "all_reduce", 2048, false));
    std::erase(beside, -1);
    writing.waits.insert(writing.waits.end(), beside.begin(), beside.end());
    collective(rank, writing, 0, "all_reduce", 1);  // the norm of the gradients
    collective(rank, writing, groups.data, "_all_gather_base", 8192);
    add(rank, writing,
        {.kind = OpKind::kSync,
         .group = -1,
         .name = "",
         .elements = 0,
         .source = -1,
         .messages = {},
         .after = {}},
        true);
  }

  void write_program(int rank) {
    Writing writing;
    for (int step = 0; step < plan().steps; ++step) write_step(rank, writing);
  }

  void name_messages() {
    std::map<std::tuple<int, int, int>, int> channels;
    for (int rank = 0; rank < job_.ranks; ++rank) {
      for (Op& op : job_.programs[static_cast<std::size_t>(rank)]) {
        for (Message& message : op.messages) {
          const auto [source, target] =
              message.is_send ? std::pair(rank, message.peer) : std::pair(message.peer, rank);
          message.channel =
              channels.try_emplace({op.group, source, target}, static_cast<int>(channels.size()))
                  .first->second;
          const std::vector<int>& members = job_.groups[static_cast<std::size_t>(op.group)].members;
          const auto place_of = [&](int one) { return std::ranges::find(members, one) - members.begin(); };
          message.name = fmt::format("{} {}{}{}", message.is_send ? "send" : "recv", place_of(rank),
                                     message.is_send ? "->" : "<-", place_of(message.peer));
        }
      }
    }
    job_.channels = static_cast<int>(channels.size());
  }

  MeshJob job_;
  std::vector<std::vector<Action>> order_;  // by stage
  std::vector<Place> places_;
  std::map<Place, int> rank_at_;
  std::vector<Groups> of_rank_;
  std::vector<std::map<int, std::vector<Transfer>>> sends_;  // in a step: by rank and peer
};

}  // namespace

MeshJob make_job(const MeshPlan& plan) {
  return Maker(plan).run();
}

MeshPlan random_plan(std::mt19937& random, int max_ranks) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (;;) {
    MeshPlan plan;
    const int stages = pick(1, 4);
    const int tensor = pick(1, 2) * pick(1, 2);
    plan.tensor_of_stage.assign(static_cast<std::size_t>(stages), tensor);
    plan.layers_of_stage.assign(static_cast<std::size_t>(stages), pick(1, 2));
    if (pick(0, 3) == 0) plan.layers_of_stage.back() = pick(1, 3);
    if (tensor > 1 && stages > 1 && pick(0, 3) == 0)
      plan.tensor_of_stage[static_cast<std::size_t>(pick(0, stages - 1))] = 1;
    plan.context = pick(0, 3) == 0 ? 2 : 1;
    plan.data = pick(1, 4);
    const int in_batch = plan.context * plan.data;
    for (const int expert : {4, 3, 2}) {
      if (in_batch % expert == 0 && pick(0, 1) == 0) plan.expert = expert;
    }
    plan.schedule = static_cast<Schedule>(pick(0, 2));
    plan.naming = static_cast<Naming>(pick(0, 2));
    plan.micro_batches = pick(1, 4);
    plan.steps = pick(2, 3);
    plan.batches_messages = pick(0, 1) == 0;
    plan.broadcasts_data = pick(0, 3) == 0;
    int ranks = 0;
    for (const int one : plan.tensor_of_stage) ranks += one * in_batch;
    if (ranks >= 2 && ranks <= max_ranks) return plan;
  }
}

}  // namespace lockstep::dumps
