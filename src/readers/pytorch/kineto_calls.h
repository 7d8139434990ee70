// The collectives of a Kineto trace, each put together from its two halves: the entry that says what it was
// and the one that says when it ran. They may come in any order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/job.h"
#include "readers/pytorch/kineto_entry.h"
#include "readers/pytorch/kineto_groups.h"

namespace lockstep::readers {

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
