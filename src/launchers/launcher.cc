#include "config/launchers/find.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace lockstep::config {
namespace {

struct Launcher {
  std::string_view names;  // of the program or the Python module, each between spaces
  LauncherKind kind;
};

constexpr Launcher kLaunchers[] = {
    {" torchrun torch.distributed.run torch.distributed.launch ", LauncherKind::kTorchrun},
    {" horovodrun horovod.runner.launch horovod.runner ", LauncherKind::kHorovodrun},
    {" mpirun mpiexec mpiexec.hydra mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich orterun "
     "prterun ",
     LauncherKind::kMpirun},
    {" srun ", LauncherKind::kSrun},
    {" deepspeed deepspeed.launcher.runner ", LauncherKind::kDeepspeed},
    {" accelerate-launch accelerate.commands.launch ", LauncherKind::kAccelerate},
};

constexpr std::string_view kWrappers =
    " env nohup nice ionice stdbuf time setsid numactl taskset unbuffer uv poetry pipenv conda mamba "
    "micromamba pixi hatch nsys ";

bool is_among(std::string_view name, std::string_view names) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

std::optional<FoundLauncher> launcher_named(std::string_view name, std::size_t head) {
  for (const Launcher& launcher : kLaunchers) {
    if (is_among(name, launcher.names)) return FoundLauncher{launcher.kind, head};
  }
  return std::nullopt;
}

// python [-u ...] -m MODULE, or python [-u ...] /somewhere/bin/torchrun.
std::optional<FoundLauncher> behind_python(std::span<const std::string> words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "-m" && words[at] != "-c") {
    at += words[at] == "-X" || words[at] == "-W" ? 2 : 1;
  }
  if (at + 1 < words.size() && words[at] == "-m") return launcher_named(words[at + 1], at + 2);
  if (at < words.size() && !words[at].starts_with('-'))
    return launcher_named(program_name(words[at]), at + 1);
  return std::nullopt;
}

bool is_known(std::span<const std::string> words) {
  return is_python(program_name(words.front())) || find_launcher(words).has_value();
}

// What a wrapper wraps begins with the first word that is a launcher or Python; without one, for env, with
// the first that is no flag and no assignment.
std::size_t end_of_wrapper(std::span<const std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (is_known(words.subspan(at))) return at;
  }
  if (program_name(words.front()) != "env") return words.size();
  const auto is_program = [](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos;
  };
  const auto program = std::ranges::find_if(words.begin() + 1, words.end(), is_program);
  return static_cast<std::size_t>(program - words.begin());
}

}  // namespace

std::string program_name(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

bool is_python(std::string_view program) {
  return program == "python" || program.starts_with("python2") || program.starts_with("python3") ||
         program == "pypy3";
}

std::optional<FoundLauncher> find_launcher(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string name = program_name(words.front());
  if (name == "accelerate" && words.size() > 1 && words[1] == "launch")
    return FoundLauncher{LauncherKind::kAccelerate, 2};
  if (is_python(name)) return behind_python(words);
  return launcher_named(name, 1);
}

std::size_t words_of_wrapper(std::span<const std::string> words) {
  if (words.empty() || !is_among(program_name(words.front()), kWrappers)) return 0;
  const std::size_t end = end_of_wrapper(words);
  return end < words.size() ? end : 0;
}

}  // namespace lockstep::config
