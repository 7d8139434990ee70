// The launchers that Lockstep knows, one file each, and which of them a command begins with.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "launchers/flag_table.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {

struct Launcher {
  std::string_view section;   // what its flags are called by in a configuration: "torchrun", "mpi"
  std::string_view programs;  // names of the program or the Python module, each between spaces
  const LauncherTable* table = nullptr;
  std::span<const std::string_view> same_meaning = {};  // "np n c": typed as any of them, called by the first
  std::span<const std::string_view> variables = {};     // left in a rank's environment; "PMI_" is a prefix
  Result<void> (*reduce)(const Launched&, const Launch&, Control&) = nullptr;  // to one rank
};

extern const Launcher kTorchrun;
extern const Launcher kHorovodrun;
extern const Launcher kMpirun;
extern const Launcher kSrun;
extern const Launcher kDeepspeed;
extern const Launcher kAccelerate;
extern const Launcher kSbatch;               // asks in srun's words; not among the launchers that start ranks
extern const LauncherTable kDockerRunFlags;  // docker run, podman run

// What torchrun takes where nothing is said: the meeting place of a job of one node, and the port of an
// endpoint that has none.
inline constexpr std::string_view kTorchrunBackend = "static";
inline constexpr std::string_view kTorchrunAddress = "127.0.0.1";
inline constexpr std::string_view kTorchrunPort = "29500";
inline constexpr std::string_view kTorchrunEndpointPort = "29400";
// The variable that stands for a flag of torchrun where it is not typed: PET_NNODES for "nnodes".
std::string torchrun_variable(std::string_view flag);

std::span<const Launcher* const> all_launchers();

struct FoundLauncher {
  const Launcher* launcher = nullptr;
  std::size_t head = 0;  // how many words name it: 3 for "python -m torch.distributed.run"
};

std::optional<FoundLauncher> find_launcher(std::span<const std::string> words);

// env, nice, uv run and the like: how many words stand before what they wrap, if it can be told. 0: the
// command is no wrapper.
std::size_t words_of_wrapper(std::span<const std::string> words);

// singularity exec, shifter, timeout and the like: how many words stand before a command that is known by its
// first word. 0: there is none.
std::size_t words_of_carrier(std::span<const std::string> words);

// The name of a launcher that starts ranks by flags which are not read: "colossalai run".
std::optional<std::string> unread_launcher(std::span<const std::string> words);

// hostname, nvidia-smi, python -m pip: prepares or looks, and is no rank of a job.
bool starts_no_ranks(std::span<const std::string> words);

bool is_shell(std::string_view program);

// docker, ssh, ray: run a command in another file system or on another machine. What srun, sbatch and salloc
// run has the files of this host, and is not on it.
bool runs_elsewhere(std::string_view program);
bool runs_on_cluster(std::string_view program);

// By which name a launcher's flag is called, of those that mean the same.
std::string flag_name(const Launcher& launcher, const std::string& typed);

std::string program_name(const std::string& word);  // without its folder
bool is_python(std::string_view program);

}  // namespace lockstep::launchers
