// What two runs differ in besides their calls: files of the program, versions of libraries, the platform,
// command, folder and variables.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "record/payload.h"

namespace lockstep::replay {

// The attributes in a rank's record file, by name: the last value of each; a thousand names at most. Empty
// when the file cannot be read.
using Attributes = std::map<std::string, std::string>;
Attributes attributes_in(const std::filesystem::path& record_file);

// One side of a comparison.
struct Run {
  const record::Payload& payload;
  std::filesystem::path record_file;
};

// Program, libraries, platform; then command, folder and variables.
std::vector<std::string> differences_between(const Run& first, const Run& second);

// Of the attributes that begin with "program ", "library " or "platform ", and the versions of frameworks:
// "the program (train.py)", "the library torch (2.6.0 against 2.13.0)", "the platform's threads (1 against
// 2)", in this order. What one of them does not tell is not different.
std::vector<std::string> surroundings_that_differ(const Attributes& first, const Attributes& second);

}  // namespace lockstep::replay
