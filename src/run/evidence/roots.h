// Where the kernel tells of itself. A test has texts of its own there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/file.h"

namespace lockstep::evidence {

struct Roots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

// The file, or an empty text when it cannot be read: processes end while they are looked at, and much of
// /proc is for its owner only.
inline std::string text_of(const std::filesystem::path& path,
                           std::size_t limit_bytes = std::size_t{1} << 20) {
  auto text = base::read_file(path, limit_bytes);
  return text.ok() ? std::move(text).value() : std::string();
}

}  // namespace lockstep::evidence
