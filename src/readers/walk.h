// Which files to read: the paths a user gave, with every folder among them opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::readers {

struct InputFile {
  std::string name;            // as reports show it: the path the user gave and what lies below it
  std::filesystem::path path;  // absolute, or "-": standard input
  std::uintmax_t size_bytes = 0;
  bool is_named = false;  // by the user himself, who may mean a pipe
};

struct Walk {
  std::vector<InputFile> files;     // by name, each file once however many paths and links lead to it
  std::vector<std::string> limits;  // what could not be listed, in words
};

// Links to files are followed, and links to folders that lie in what was named: one that leads out would
// bring anything at all into a report that is sent on. Loops end. In folders only regular files count; a pipe
// or device is read when the user names it himself.
Walk walk(const std::vector<std::filesystem::path>& paths);

}  // namespace lockstep::readers
