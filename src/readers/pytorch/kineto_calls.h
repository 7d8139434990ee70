// The collectives of a Kineto trace, each put together from its two halves: the entry that says what it was
// and the one that says when it ran. They may come in any order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fast_json.h"
#include "model/collective.h"
#include "model/job.h"
#include "readers/pytorch/kineto_entry.h"

namespace lockstep::readers {

// What a Kineto trace says of its rank, its clock and its process groups, before its events and in them.
struct TraceHead {
  bool is_kineto = false;
  std::optional<int> rank;
  std::optional<int> world_size;
  std::string backend;
  std::string host;
  std::map<std::string, model::Communicator, std::less<>> groups;  // by name
  bool lists_all_groups = false;
  std::int64_t base_ns = 0;  // to be added to every time
};

// `text` ends where the value of "traceEvents" begins.
TraceHead parse_trace_head(std::string_view text);

// "nccl" of "cuda:nccl" and of "cpu:nccl,cuda:nccl"; as it is where the parts differ.
std::string backend_in(std::string_view config);

// The text without what a strict parser refuses: raw control characters in strings (pytorch#130622) and bytes
// that are no UTF-8.
std::string made_plain(std::string_view text);

// The process groups of a trace: those its head lists, and those its events name.
class TraceGroups {
 public:
  TraceGroups(const TraceHead& head, model::Job& job);

  // The group that the args of an operation name. kNone when they name none.
  model::CommunicatorId of(base::FastJson args);

  // The only group there is, or kNone: for operations that name none.
  model::CommunicatorId only() const { return only_; }

 private:
  model::Communicator describe(base::FastJson args, std::string_view name, std::string_view ranks) const;

  const TraceHead& head_;
  model::Job& job_;
  std::unordered_map<std::string, model::CommunicatorId> known_;  // by name and ranks as the args have them
  std::string key_;
  model::CommunicatorId only_ = model::CommunicatorId::kNone;
};

// "[0, 1, 2]"; empty when the list was cut ("..."), as PyTorch does with long ones.
std::vector<int> parse_rank_list(std::string_view text);

class TraceCalls {
 public:
  TraceCalls(const TraceHead& head, model::Job& job)
      : base_ns_(head.base_ns), job_(job), groups_(head, job) {}

  void take(const TraceEntry& entry, std::uint32_t position);

  // In the order of issue, steps among them.
  std::vector<model::Event> finish();

 private:
  struct Half {
    model::Event event;
    std::int64_t external_id = -1;  // of the operation; a kernel has that of the operation that launched it
    std::int64_t issued_ns = 0;
    bool is_joined = false;
  };

  Half half_of(const TraceEntry& entry, std::uint32_t position) const;
  void take_step(const TraceEntry& entry, std::uint32_t position);
  void take_call(const TraceEntry& entry, std::uint32_t position);
  void take_kernel(const TraceEntry& entry, std::uint32_t position);
  void take_issue(const TraceEntry& entry, std::uint32_t position);
  void take_annotation(const TraceEntry& entry, std::uint32_t position);
  void set_operation(const TraceEntry& entry, std::string_view name, model::Collective collective,
                     Half& half);
  void join_kernels();
  void join_annotations();

  std::int64_t base_ns_;
  model::Job& job_;
  TraceGroups groups_;
  std::vector<model::Event> steps_;
  std::vector<Half> calls_;
  std::vector<Half> kernels_;
  std::vector<Half> issues_;
  std::vector<Half> annotations_;
};

}  // namespace lockstep::readers
