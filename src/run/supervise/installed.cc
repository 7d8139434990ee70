#include "run/supervise/installed.h"

#include <vector>

namespace lockstep::supervise {
namespace {

namespace fs = std::filesystem;

bool is_there(const Installed& parts) {
  std::error_code ignored;
  return fs::exists(parts.recorder, ignored) && fs::exists(parts.mpi_adapter, ignored) &&
         fs::exists(parts.nccl_adapter, ignored) && fs::exists(parts.entropy, ignored) &&
         fs::exists(parts.python / "sitecustomize.py", ignored);
}

std::vector<Installed> places(const fs::path& folder) {
  std::vector<Installed> places;
  for (const char* lib : {"../lib/lockstep", "../lib/x86_64-linux-gnu/lockstep",
                          "../lib/aarch64-linux-gnu/lockstep", "../lib64/lockstep"}) {
    const fs::path parts = folder / lib;
    places.push_back({.recorder = parts / "liblockstep.so",
                      .mpi_adapter = parts / "liblockstep_mpi.so",
                      .nccl_adapter = parts / "liblockstep_nccl.so",
                      .entropy = parts / "liblockstep_entropy.so",
                      .python = parts / "python"});
  }
  // build/release/lockstep
  places.push_back({.recorder = folder / "recorder/liblockstep.so",
                    .mpi_adapter = folder / "adapters/mpi/liblockstep_mpi.so",
                    .nccl_adapter = folder / "adapters/nccl/liblockstep_nccl.so",
                    .entropy = folder / "adapters/entropy/liblockstep_entropy.so",
                    .python = folder / "../../adapters/python"});
  return places;
}

}  // namespace

Result<Installed> find_installed_beside(const fs::path& program) {
  for (const Installed& parts : places(program.parent_path())) {
    if (!is_there(parts)) continue;
    return Installed{.recorder = fs::canonical(parts.recorder),
                     .mpi_adapter = fs::canonical(parts.mpi_adapter),
                     .nccl_adapter = fs::canonical(parts.nccl_adapter),
                     .entropy = fs::canonical(parts.entropy),
                     .python = fs::canonical(parts.python)};
  }
  return Error{"cannot record", program.string(),
               "liblockstep.so, an adapter or the Python folder is missing",
               "install Lockstep whole with 'make install', or run it from its build folder"};
}

Result<Installed> find_installed() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault)
    return Error{"cannot record", "", "this program does not know where it is: " + fault.message(), ""};
  return find_installed_beside(program);
}

}  // namespace lockstep::supervise
