// What a recording defines once and its events name by number, in the tables of a job. Each is translated
// when it is first used; after that it costs one look into a table.
#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/record_format.h"

#include "model/job.h"
#include "record/definitions.h"

namespace lockstep::readers {

class DefinitionIds {
 public:
  DefinitionIds(const record::Definitions& definitions, model::Job& job)
      : definitions_(definitions), job_(job) {}

  model::NameId name(std::uint32_t id) {
    return id < names_.size() && names_[id] != 0 ? static_cast<model::NameId>(names_[id] - 1) : new_name(id);
  }
  model::StackId stack(std::uint32_t id) {
    if (id == 0) return model::StackId::kNone;  // most have none
    return id < stacks_.size() && stacks_[id] != 0 ? static_cast<model::StackId>(stacks_[id] - 1)
                                                   : new_stack(id);
  }
  model::CommunicatorId communicator(std::uint32_t id) {
    return id < communicators_.size() && communicators_[id] != 0
               ? static_cast<model::CommunicatorId>(communicators_[id] - 1)
               : new_communicator(id);
  }
  model::CollectiveId collective(const lockstep_call& call);

 private:
  model::NameId new_name(std::uint32_t id);
  model::StackId new_stack(std::uint32_t id);
  model::CommunicatorId new_communicator(std::uint32_t id);
  model::Stack stack_of(const std::vector<lockstep_frame>& frames) const;
  model::Communicator communicator_of(std::uint32_t id,
                                      const record::CommunicatorDefinition* definition) const;
  model::Collective collective_of(const lockstep_call& call) const;

  struct Described {  // everything of a call that makes its collective
    std::uint64_t payload_bytes = 0;
    std::uint32_t tensors = 0;
    std::int32_t peer = -1;
    std::uint8_t operation = 0;
    std::uint8_t reduce_op = 0;
    std::uint8_t data_type = 0;
    model::CollectiveId id = model::CollectiveId::kNone;
  };

  const record::Definitions& definitions_;
  model::Job& job_;
  std::vector<std::uint32_t> names_;  // by definition: the id in the job and 1, 0: not translated yet
  std::vector<std::uint32_t> stacks_;
  std::vector<std::uint32_t> communicators_;
  std::vector<Described> collectives_;  // a cache, by hash
};

}  // namespace lockstep::readers
