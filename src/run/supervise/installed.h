// Where the parts of Lockstep are that go into a job: beside the program where it is installed, in the tree
// where it was built.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace lockstep::supervise {

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

}  // namespace lockstep::supervise
