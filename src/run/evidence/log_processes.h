// The processes of a running job, found by the logs that they still write.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

// The same whatever name or mount namespace it is reached by.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;

  auto operator<=>(const FileIdentity&) const = default;
};

enum class FileKind : std::uint8_t { kRegular, kPipe, kOther };

// When a file was made and last written, without waiting for a file server that does not answer.
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

// Who has which files and pipes open on this host.
struct OpenFile {
  pid_t pid = 0;
  FileIdentity file;
  FileKind kind = FileKind::kOther;  // regular or pipe
  bool is_read = false;
  bool is_written = false;
};

// Of all processes that may be looked at; others' are left out.
std::vector<OpenFile> open_files(const process::Roots& roots);

struct WrittenLog {
  std::size_t log = 0;  // of those that were asked for
  FileLife life;
  std::vector<pid_t> writers;    // who have it open, or feed one who has through a pipe, as `job | tee log`
  std::vector<pid_t> processes;  // the writers and all below them, ascending
};

// Only logs that somebody else than this process writes. Where none was written since `since`, nobody is
// looked for: that takes a look at every process of the host.
std::vector<WrittenLog> written_logs(const process::Roots& roots, std::span<const std::filesystem::path> logs,
                                     std::chrono::system_clock::time_point since);

}  // namespace lockstep::evidence
