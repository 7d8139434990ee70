// One input, ready to be read: its bytes, decompressed, and the name by which the user knows it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::readers {

struct Source {
  std::string name;            // "dumps/rank_3", as reports show it
  std::filesystem::path path;  // where it lies, whole with its folders: names carry ranks and attempts
  std::string_view bytes;
};

}  // namespace lockstep::readers
