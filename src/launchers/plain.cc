#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"
#include "isolate/variables.h"

namespace lockstep::isolate {
namespace {

std::string name_of_program(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

bool is_shell(std::string_view program) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "tcsh", "csh"};
  return std::ranges::find(kShells, program) != std::end(kShells) || program.ends_with(".sh");
}

bool runs_elsewhere(std::string_view program) {
  constexpr std::string_view kRemote[] = {
      "sbatch", "salloc", "kubectl", "docker",   "podman", "ssh",  "pdsh", "ray",   "qsub", "bsub",
      "jsrun",  "aprun",  "flux",    "parallel", "xargs",  "make", "sky",  "modal", "oc",   "nerdctl"};
  return std::ranges::find(kRemote, program) != std::end(kRemote);
}

}  // namespace

Result<void> reduce_plain(std::span<const std::string> words, const Launch& launch, Control& control) {
  const std::string program = name_of_program(words.front());
  if (runs_elsewhere(program))
    return cannot_reduce(program, "it hands the job to somebody else, who starts the ranks");
  const Environment& environment = launch.environment;
  std::vector<Change> changes = TRY(tf_config_for_one(environment, launch.free_port));
  const std::vector<Change> torch = torch_variables_for_one(environment, launch.free_port);
  changes.insert(changes.end(), torch.begin(), torch.end());
  const std::vector<Change> foreign = without_launcher_variables(environment);
  const bool is_one_of_several = !changes.empty() || !foreign.empty();
  if (is_shell(program) && !is_one_of_several) {
    return cannot_reduce(program, "the launcher stands inside the script, where Lockstep does not change it");
  }
  changes.insert(changes.end(), foreign.begin(), foreign.end());
  const std::vector<Change> devices = one_visible_device(environment);
  changes.insert(changes.end(), devices.begin(), devices.end());
  if (!is_one_of_several) {
    control.notes.push_back(
        "Neither a launcher nor a variable tells of other ranks: the command runs as it is, with one GPU in "
        "sight. Ranks that it starts by itself are not reduced.");
  }
  add_launcher(control, program);
  append(control.command, words);
  add_changes(control, that_matter(std::move(changes), environment));
  return {};
}

}  // namespace lockstep::isolate
