// One input, ready to be read: its bytes, decompressed, and the name by which the user knows it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/log_marks.h"

namespace lockstep::readers {

using model::kLogMarks;
using model::LogMark;
using model::LogMarks;

struct Source {
  std::string name;            // "dumps/rank_3", as reports show it
  std::filesystem::path path;  // where it lies, whole with its folders: names carry ranks and attempts
  std::string_view bytes;
  const LogMarks* marks = nullptr;  // where they were looked for already
  bool is_as_stored = false;        // the bytes are those of the file at `path`

  std::size_t first(LogMark mark) const {
    const auto number = static_cast<std::size_t>(mark);
    return marks != nullptr ? marks->first[number] : bytes.find(kLogMarks[number]);
  }
};

}  // namespace lockstep::readers
