// One entry of a Kineto trace that has to do with communication or steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/fast_json.h"
#include "model/collective.h"

namespace lockstep::readers {

enum class EntryKind : std::uint8_t {
  kOther,
  kStep,        // ProfilerStep#3
  kCall,        // record_param_comms: what was asked of NCCL
  kKernel,      // ncclDevKernel_...: when it ran
  kIssue,       // c10d::allreduce_: when it was asked of any backend
  kAnnotation,  // gloo:all_reduce: when it ran
};

// What the name in the text of an entry says, without parsing it; all others need not be parsed. kOther too
// where only parsing tells: `must_parse` is set then.
EntryKind kind_by_name(std::string_view text, bool& must_parse);
EntryKind kind_of_name(std::string_view name);

struct TraceEntry {
  EntryKind kind = EntryKind::kOther;
  std::string_view name;
  double begin_us = 0;
  double duration_us = 0;
  std::int64_t pid = -1;
  std::uint32_t thread = 0;
  std::optional<base::FastJson> args;
};

// None unless it is a complete event ("ph": "X") with plausible times.
std::optional<TraceEntry> parse_entry(base::FastJson json);

// PyTorch's words for operations and data types in the words of the model: "allreduce", "_allgather_base",
// "gloo:all_reduce", "c10d::broadcast_", "ncclDevKernel_AllReduce_Sum_f32".
model::Operation pytorch_operation(std::string_view name);

// "Float" of a trace, "long int" and "c10::BFloat16" of a type's own name.
model::DataType pytorch_data_type(std::string_view name);

}  // namespace lockstep::readers
