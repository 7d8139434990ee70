// A dump of a whole process tree holds more than ranks: launchers above them, data loader workers below.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "readers/stacks/process_dump.h"

namespace lockstep::readers {

struct FamilyMember {
  ProcessDump dump;
  bool is_launcher = false;
  std::optional<std::int64_t> parent;
};

bool is_launcher_command(std::string_view command_line);

// Without launchers, and without children of processes that are here and no launchers.
std::vector<ProcessDump> only_ranks(std::vector<FamilyMember> family);

}  // namespace lockstep::readers
