// What stands before the events of a Kineto trace: whose it is, its process groups and its clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fast_json.h"
#include "model/collective.h"

namespace lockstep::readers {

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

}  // namespace lockstep::readers
