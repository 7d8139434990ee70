// A recording: a folder with a manifest, one record file for each process of the job, and a mark named
// "incomplete" that stands from the start of the job to its clean end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::record {

struct Manifest {
  std::string job;
  std::string writer;  // "lockstep 0.1.0"
  std::vector<std::string> command;
  std::optional<int> world_size;
  std::uint64_t started_wall_ns = 0;

  bool operator==(const Manifest&) const = default;
};

struct RankFile {
  std::filesystem::path path;
  int rank = 0;
  std::uint32_t restart = 0;

  bool operator==(const RankFile&) const = default;
};

struct Recording {
  std::optional<Manifest> manifest;  // none when it is missing or damaged
  bool is_complete = false;
  std::optional<std::uint64_t> ended_wall_ns;  // of a job that ended badly, where its end was noted
  std::vector<RankFile> rank_files;            // by rank, then restart
  std::vector<std::string> limits;             // what is missing
};

// Makes the folder, the mark and the manifest. An existing folder that is not empty is refused.
Result<void> create_recording(const std::filesystem::path& folder, const Manifest& manifest);

// Takes the mark away: the job came to a clean end.
Result<void> finish_recording(const std::filesystem::path& folder);

// Notes in the mark, which stays, when a job ended that came to no clean end.
Result<void> note_bad_end(const std::filesystem::path& folder, std::uint64_t ended_wall_ns);

// An error only when the folder cannot be read or holds no record file and no manifest.
Result<Recording> open_recording(const std::filesystem::path& folder);

std::string rank_file_name(int rank, std::uint32_t restart);

}  // namespace lockstep::record
