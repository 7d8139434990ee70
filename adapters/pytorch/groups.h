// Which communicator a process group is. Python knows a group's name and members and says them when the group
// is made; here they are found again by the group's address.
#pragma once

#include <cstdint>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

void remember_group(const void* group, const lockstep_communicator_facts& facts);

// A group that nobody told of (made past torch.distributed) is defined by what it says of itself: its members
// are then not known.
std::uint32_t communicator_of(const c10d::ProcessGroup& group);

// Messages of one tag meet in order, those of different tags do not: each tag but 0 is a channel of its own,
// "0 tag 7" beside the group "0". After very many tags there are no more channels: 0.
std::uint32_t channel_of(const c10d::ProcessGroup& group, std::int64_t tag);

}  // namespace lockstep::pytorch
