// The communicators of a running job, under one number for all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/definitions.h"

namespace lockstep::watch {

struct LiveCommunicator {
  std::string name;
  std::string description;  // what the user called it
  std::string backend;
  std::vector<int> members;  // global ranks in communicator order; empty when the recording does not tell
  std::size_t size = 0;      // known even where the members are not; 0: nothing tells

  const std::string& title() const { return description.empty() ? name : description; }
};

class Communicators {
 public:
  // Equal name and members are the same communicator.
  std::uint32_t number_of(const record::Definitions& definitions, std::uint32_t id);

  const LiveCommunicator& operator[](std::uint32_t number) const { return known_[number]; }

 private:
  std::vector<LiveCommunicator> known_;
  std::unordered_map<std::string, std::uint32_t> by_identity_;
};

}  // namespace lockstep::watch
