// A record file as a few readable lines, so that a test says in one place what must be in it.
#pragma once

#include <string>
#include <vector>

namespace lockstep::tests {

// Calls and what became of them, in the order of the file, such as
//   "#2 all_reduce maximum float32 400 bytes on nccl ID (1 of 4)"
//   "#2 all_reduce completed"
// with the hash of a communicator's name written as ID.
std::vector<std::string> calls_of(const std::string& path);

// "key: value" of every attribute.
std::vector<std::string> attributes_of(const std::string& path);

}  // namespace lockstep::tests
