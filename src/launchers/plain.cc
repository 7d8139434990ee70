// A program that nobody launches: a plain Python script, or one rank that was started by hand.
#include <algorithm>

#include <fmt/format.h>

#include "launchers/launcher.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {
namespace {

bool runs_a_script(std::string_view program) {
  constexpr std::string_view kOthers[] = {"fish", "tcsh", "csh"};
  return is_shell(program) || std::ranges::find(kOthers, program) != std::end(kOthers) ||
         program.ends_with(".sh");
}

bool hands_the_job_on(std::string_view program) {
  constexpr std::string_view kRemote[] = {
      "sbatch", "salloc", "kubectl", "docker",   "podman", "ssh",  "pdsh", "ray",   "qsub", "bsub",
      "jsrun",  "aprun",  "flux",    "parallel", "xargs",  "make", "sky",  "modal", "oc",   "nerdctl"};
  return std::ranges::find(kRemote, program) != std::end(kRemote);
}

bool is_launcher_variable(std::string_view name) {
  const auto is_it = [&](std::string_view known) {
    return known.ends_with('_') ? name.starts_with(known) : name == known;
  };
  return std::ranges::any_of(all_launchers(), [&](const Launcher* launcher) {
    return std::ranges::any_of(launcher->variables, is_it);
  });
}

// What launchers leave behind in a process (Open MPI, PMI, Slurm, Horovod, torchrun): taken out where set.
std::vector<Change> without_launcher_variables(const Environment& environment) {
  std::vector<Change> changes;
  for (const auto& [name, value] : environment) {
    if (is_launcher_variable(name)) changes.push_back({name, std::nullopt});
  }
  return changes;
}

// One GPU, the first the process may see. A process that uses all of them is more than one rank inside.
std::vector<Change> one_visible_device(const Environment& environment) {
  std::vector<Change> changes;
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const auto now = environment.find(name);
    const bool is_set = now != environment.end();
    if (is_set) changes.push_back({name, now->second.substr(0, now->second.find(','))});
    if (!is_set && name == std::string_view("CUDA_VISIBLE_DEVICES")) changes.push_back({name, "0"});
  }
  return changes;
}

}  // namespace

Result<void> reduce_plain(std::span<const std::string> words, const Launch& launch, Control& control) {
  const std::string program = program_name(words.front());
  if (hands_the_job_on(program))
    return cannot_reduce(program, "it hands the job to somebody else, who starts the ranks");
  const Environment& environment = launch.environment;
  std::vector<Change> changes = TRY(tf_config_for_one(environment, launch.free_port));
  const std::vector<Change> torch = torch_variables_for_one(environment, launch.free_port);
  changes.insert(changes.end(), torch.begin(), torch.end());
  const std::vector<Change> foreign = without_launcher_variables(environment);
  const bool is_one_of_several = !changes.empty() || !foreign.empty();
  if (runs_a_script(program) && !is_one_of_several) {
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

}  // namespace lockstep::launchers
