// What a record file knows of one call: the framework's name for it, its tensors, and where in the script it
// was made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record/payload.h"

namespace lockstep::replay {

struct Frame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

struct CallDetails {
  std::string name;          // "c10d.allreduce_"
  std::string tensors;       // "float32[524]"
  std::vector<Frame> stack;  // innermost first; empty: not taken
  std::uint64_t elements = 0;
  std::size_t element_bytes = 0;             // 0: not known
  std::vector<std::string> parameters = {};  // that have as many together; empty: not known
};

// None when the file cannot be read or does not have the call.
std::optional<CallDetails> find_call_details(const std::filesystem::path& record_file,
                                             const std::string& communicator,
                                             const record::PayloadCall& call);

}  // namespace lockstep::replay
