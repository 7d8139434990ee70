// Room on the file systems a job writes to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::evidence {

struct Disk {
  std::string folder;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user
  std::uint64_t free_files = 0;
};

// May never return where a server is dead.
std::optional<Disk> disk_of(const std::filesystem::path& folder);

}  // namespace lockstep::evidence
