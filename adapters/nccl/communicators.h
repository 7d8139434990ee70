// The communicators of this process by the names that all their members agree on: "nccl" and the hash of the
// unique id they were made of; "nccl 0123456789abcdef/split 2 color 0" is what the second split of that one
// made.
//
// A process is one rank. A communicator of which it holds several members (several GPUs in one process) is
// not recorded.
#pragma once

#include "lockstep/recorder.h"

#include "abi.h"

namespace lockstep::adapters::nccl {

constexpr std::size_t kNameBytes = 200;

struct Name {
  char text[kNameBytes];
};
Name name_of_ids(const UniqueId* ids, int count);
Name name_of_hash(std::uint64_t hash);

// What is known when it is made. `description` may be null: the program's own name for it.
struct Made {
  const Name& name;
  int size;
  int rank;
  const char* description;
};
std::uint32_t define_communicator(const Made& made);

// Remembers it; `id` 0: of one that is asked for its size when it is first used.
void add_communicator(Communicator communicator, const Name& name, std::uint32_t id);
void forget_communicator(Communicator communicator);

// Its id in the recording; 0: not recorded.
std::uint32_t communicator_id(Communicator communicator);

// The name of what the next call that makes one of `parent` makes; false: the parent is not recorded. `verb`
// as in "split", `color` -1: none.
bool name_of_child(Communicator parent, const char* verb, int color, Name& name);

// True while none is recorded: then calls go straight through.
bool has_no_communicators();

}  // namespace lockstep::adapters::nccl
