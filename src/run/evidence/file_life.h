// When a file was made and last written, without waiting for a file server that does not answer.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace lockstep::evidence {

// The same whatever name or mount namespace it is reached by.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;

  auto operator<=>(const FileIdentity&) const = default;
};

enum class FileKind : std::uint8_t { kRegular, kPipe, kOther };

struct FileLife {
  FileIdentity file;
  FileKind kind = FileKind::kOther;
  std::optional<std::chrono::system_clock::time_point> made;  // where the file system keeps it
  std::chrono::system_clock::time_point written;
};

// Nothing where it cannot be looked at.
std::optional<FileLife> life_of(const std::filesystem::path& path);

// On a disk or in memory of this host, not on a file server, which others write to as well. In doubt it does
// not.
bool lies_on_this_host(const std::filesystem::path& path);

}  // namespace lockstep::evidence
