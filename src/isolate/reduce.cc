#include "isolate/reduce.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "isolate/flag_table.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"

namespace lockstep::isolate {
namespace {

using Reducer = Result<void> (*)(const Launched& launched, const Launch& launch, Control& control);

struct Launcher {
  std::string_view names;  // of the program or the Python module, each between spaces
  Reducer reduce;
};

constexpr Launcher kLaunchers[] = {
    {" torchrun torch.distributed.run torch.distributed.launch ", reduce_torchrun},
    {" horovodrun horovod.runner.launch horovod.runner ", reduce_horovodrun},
    {" mpirun mpiexec mpiexec.hydra mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich orterun "
     "prterun ",
     reduce_mpirun},
    {" srun ", reduce_srun},
    {" deepspeed deepspeed.launcher.runner ", reduce_deepspeed},
    {" accelerate-launch accelerate.commands.launch ", reduce_accelerate},
};

constexpr std::string_view kWrappers =
    " env nohup nice ionice stdbuf time setsid numactl taskset unbuffer uv poetry pipenv conda mamba "
    "micromamba pixi hatch nsys ";

std::string name_of(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

bool is_among(std::string_view name, std::string_view names) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool is_python(std::string_view name) {
  return name == "python" || name.starts_with("python2") || name.starts_with("python3") || name == "pypy3";
}

struct Found {
  Reducer reduce = nullptr;
  std::size_t head = 0;  // how many words name the launcher
};

std::optional<Found> launcher_named(std::string_view name, std::size_t head) {
  for (const Launcher& launcher : kLaunchers) {
    if (is_among(name, launcher.names)) return Found{launcher.reduce, head};
  }
  return std::nullopt;
}

// python [-u ...] -m MODULE, or python [-u ...] /somewhere/bin/torchrun.
std::optional<Found> behind_python(std::span<const std::string> words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "-m" && words[at] != "-c") {
    at += words[at] == "-X" || words[at] == "-W" ? 2 : 1;
  }
  if (at + 1 < words.size() && words[at] == "-m") return launcher_named(words[at + 1], at + 2);
  if (at < words.size() && !words[at].starts_with('-')) return launcher_named(name_of(words[at]), at + 1);
  return std::nullopt;
}

std::optional<Found> find_launcher(std::span<const std::string> words) {
  const std::string name = name_of(words.front());
  if (name == "accelerate" && words.size() > 1 && words[1] == "launch") return Found{reduce_accelerate, 2};
  if (is_python(name)) return behind_python(words);
  return launcher_named(name, 1);
}

bool is_known(std::span<const std::string> words) {
  return is_python(name_of(words.front())) || find_launcher(words).has_value();
}

// What a wrapper wraps begins with the first word that is a launcher or Python; without one, for env, with
// the first that is no flag and no assignment.
std::size_t end_of_wrapper(std::span<const std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (is_known(words.subspan(at))) return at;
  }
  if (name_of(words.front()) != "env") return words.size();
  const auto is_program = [](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos;
  };
  const auto program = std::ranges::find_if(words.begin() + 1, words.end(), is_program);
  return static_cast<std::size_t>(program - words.begin());
}

bool asks_for_ranks(std::string_view word) {
  constexpr std::string_view kAsking[] = {"--world-size",
                                          "--world_size",
                                          "--nprocs",
                                          "--num-gpus",
                                          "--num_gpus",
                                          "--gpus",
                                          "--devices",
                                          "--nodes",
                                          "--num-nodes",
                                          "--num_nodes",
                                          "--dist-url",
                                          "--dist_url",
                                          "--rank",
                                          "--tensor-model-parallel-size",
                                          "--pipeline-model-parallel-size"};
  const std::string_view name = word.substr(0, word.find('='));
  return std::ranges::find(kAsking, name) != std::end(kAsking) || word.starts_with("tcp://");
}

// The script's own arguments are the user's; what they ask for may not fit one rank.
void note_arguments(const Launch& launch, Control& control) {
  for (const std::string& word : control.command) {
    const bool is_users_own = std::ranges::find(launch.command, word) != launch.command.end();
    if (!is_users_own || !asks_for_ranks(word)) continue;
    control.notes.push_back(fmt::format(
        "The script's own argument '{}' is passed as it is, and may still ask for more than one rank.",
        word));
  }
}

}  // namespace

Result<void> reduce_inner(std::span<const std::string> words, const Launch& launch, Control& control) {
  if (words.empty()) return cannot_reduce("", "there is no program to run");
  if (const auto found = find_launcher(words)) {
    const Launched launched{Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(found->head)),
                            words.subspan(found->head)};
    return found->reduce(launched, launch, control);
  }
  if (is_among(name_of(words.front()), kWrappers)) {
    const std::size_t end = end_of_wrapper(words);
    if (end < words.size()) {
      const Launched launched{Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)),
                              words.subspan(end)};
      return reduce_wrapped(launched, launch, control);
    }
  }
  const bool is_launched = !control.launcher.empty();
  if (!is_launched) return reduce_plain(words, launch, control);
  append(control.command, words);
  return {};
}

Result<Control> reduce_to_one_rank(const Launch& launch) {
  Control control;
  TRY(reduce_inner(launch.command, launch, control));
  note_arguments(launch, control);
  return control;
}

}  // namespace lockstep::isolate
