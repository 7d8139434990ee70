// The environment of a job with the recorder switched on, and nothing else changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::supervise {

// The parts of Lockstep that go into a job: beside the installed program, or in the tree where it was built.
struct Installed {
  std::filesystem::path recorder;      // liblockstep.so
  std::filesystem::path mpi_adapter;   // liblockstep_mpi.so
  std::filesystem::path nccl_adapter;  // liblockstep_nccl.so
  std::filesystem::path entropy;       // liblockstep_entropy.so
  std::filesystem::path python;        // the folder for PYTHONPATH
};

// An error that names what is missing.
Result<Installed> find_installed();

// The same for a program at this path.
Result<Installed> find_installed_beside(const std::filesystem::path& program);

struct RecorderSettings {
  std::filesystem::path folder;  // absolute
  std::string job;
  std::optional<std::string> max_record_size;  // "512M", for each rank
  bool is_ring = true;                         // at that size; false: new events are dropped
  bool checksums = false;
  bool payload = false;                             // what ranks receive is kept
  std::optional<std::uint32_t> payload_steps = {};  // of the last so many steps
  bool payload_since_checkpoint = false;            // since the job saved its state
  int stack_signal = 0;  // asks Python for its stacks; the user's own setting comes before it
};

// `environment` as "NAME=VALUE".
std::vector<std::string> with_recorder(std::vector<std::string> environment, const Installed& parts,
                                       const RecorderSettings& settings);

// A recorded rank to be run alone.
struct ReplaySettings {
  std::filesystem::path recording;  // absolute
  int rank = 0;
  int world_size = 1;
  std::uint32_t restart = 0;
  std::uint64_t from_step = 0;  // the script resumes after so many; 0: it begins
  std::string break_at = {};    // before which call it stands still, as the recorder reads it
};

// `environment` with the recorder on, for a replay whose own recording goes to `folder`.
std::vector<std::string> with_replay(std::vector<std::string> environment, const Installed& parts,
                                     const std::filesystem::path& folder, const ReplaySettings& settings);

}  // namespace lockstep::supervise
