// The process groups of a trace: those its head lists, and those its events name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fast_json.h"
#include "model/job.h"
#include "readers/pytorch/trace_head.h"

namespace lockstep::readers {

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

}  // namespace lockstep::readers
