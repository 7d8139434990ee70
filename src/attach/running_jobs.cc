#include "attach/running_jobs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "launchers/launcher.h"
#include "launchers/rank_variables.h"
#include "launchers/tf_config.h"

namespace lockstep::attach {
namespace {

using launchers::RankVariables;

struct Place {
  std::size_t kind = 0;  // the launcher that knows the ranks best has the lowest
  int rank = 0;
  std::optional<int> world_size;
  std::optional<int> local_size;
  std::string key;
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;
  std::vector<std::string> words;  // of its command
  std::optional<Place> place;
};
using Processes = std::map<pid_t, Process>;

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(base::word_of(text, '\0'));
    text.remove_prefix(std::min(words.back().size() + 1, text.size()));
  }
  return words;
}

class Variables {
 public:
  explicit Variables(std::string text) : text_(std::move(text)) {}

  std::optional<std::string_view> text(std::string_view name) const {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::string_view entry = base::word_of(rest, '\0');
      rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
      if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
        return entry.substr(name.size() + 1);
    }
    return std::nullopt;
  }
  std::optional<int> number(std::string_view name) const {
    const auto value = text(name);
    return value && !name.empty() ? base::number_in<int>(*value) : std::nullopt;
  }

 private:
  std::string text_;
};

// What all ranks of a job have in common, by the launcher that set it.
std::string key_of(const Variables& variables) {
  constexpr std::array<std::string_view, 8> kNames = {
      "MASTER_ADDR",   "MASTER_PORT",    "TORCHELASTIC_RUN_ID",          "SLURM_JOB_ID",
      "SLURM_STEP_ID", "PMIX_NAMESPACE", "HOROVOD_GLOO_RENDEZVOUS_PORT", "LOCKSTEP_JOB"};
  std::string key;
  for (const std::string_view name : kNames) {
    if (const auto value = variables.text(name)) key += fmt::format("{}={} ", name, *value);
  }
  return key;
}

std::optional<Place> place_by_variables(const Variables& variables) {
  for (std::size_t kind = 0; kind < std::size(launchers::kAllRankVariables); ++kind) {
    const RankVariables& names = *launchers::kAllRankVariables[kind];
    const auto rank = variables.number(names.rank);
    if (!rank || *rank < 0) continue;
    Place place{.kind = kind,
                .rank = *rank,
                .world_size = variables.number(names.world_size),
                .local_size = {},
                .key = key_of(variables)};
    constexpr std::array<std::string_view, 5> kLocalSizes = {"LOCAL_WORLD_SIZE", "HOROVOD_LOCAL_SIZE",
                                                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                                                             "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (const std::string_view name : kLocalSizes) {
      if (!place.local_size) place.local_size = variables.number(name);
    }
    return place;
  }
  return std::nullopt;
}

// Ranks count the chief, then the workers, then the others, as the recorder does.
std::optional<Place> place_by_tf_config(const Variables& variables) {
  const auto text = variables.text("TF_CONFIG");
  if (!text) return std::nullopt;
  const launchers::TfConfig config = launchers::read_tf_config(*text);
  if (!config.has_cluster || !config.type || !config.type->is_string() || !config.index ||
      !config.index->is_number_integer())
    return std::nullopt;
  const std::string type = config.type->get<std::string>();
  constexpr std::array<std::string_view, 4> kOrder = {"chief", "master", "worker", "ps"};
  int first = 0;
  int all = 0;
  bool is_before = true;
  for (const std::string_view name : kOrder) {
    const launchers::TfConfig::Job* job = config.job(name);
    is_before = is_before && name != type;
    if (job == nullptr) continue;
    const int size = static_cast<int>(job->addresses.size());
    if (is_before) first += size;
    all += size;
  }
  if (is_before || config.job(type) == nullptr) return std::nullopt;
  std::string key = "TF_CONFIG";
  for (const auto& job : config.cluster) key += fmt::format(" {}", fmt::join(job.addresses, ","));
  return Place{.kind = std::size(launchers::kAllRankVariables) - 1,
               .rank = first + config.index->get<int>(),
               .world_size = all,
               .local_size = {},
               .key = key};
}

bool is_a_shell_or_starter(std::string_view program) {
  constexpr std::array<std::string_view, 16> kPrograms = {
      "bash",  "sh",      "dash",  "zsh",     "fish", "srun",    "mpirun",     "mpiexec",
      "orted", "prterun", "prted", "timeout", "tee",  "numactl", "slurmstepd", "hydra_pmi_proxy"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

bool starts_ranks(const Process& process) {
  const std::span<const std::string> words = process.words;
  if (words.empty() || is_a_shell_or_starter(launchers::program_name(words.front()))) return true;
  if (launchers::find_launcher(words) || launchers::words_of_wrapper(words) != 0) return true;
  return launchers::is_python(launchers::program_name(words.front())) && words.size() > 1 &&
         launchers::find_launcher(words.subspan(1)).has_value();
}

std::optional<Process> look_at(const process::Roots& roots, pid_t pid, const Selection& selection) {
  const std::filesystem::path folder = roots.proc / std::to_string(pid);
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return std::nullopt;
  if (selection.owner && owner.st_uid != *selection.owner) return std::nullopt;
  const auto stat = process::parse_stat(process::text_of(folder / "stat"));
  if (!stat || stat->state == 'Z') return std::nullopt;
  Process process{.pid = pid,
                  .parent = static_cast<pid_t>(stat->parent),
                  .start_ticks = stat->start_ticks,
                  .words = words_in(process::text_of(folder / "cmdline")),
                  .place = {}};
  if (starts_ranks(process)) return process;
  const Variables variables(process::text_of(folder / "environ"));
  // A launcher's rank first, then TF_CONFIG, then a step of Slurm: its task may be a launcher's own.
  process.place = place_by_variables(variables);
  constexpr std::size_t kStep = std::size(launchers::kAllRankVariables) - 1;
  if (!process.place || process.place->kind == kStep) {
    if (auto place = place_by_tf_config(variables)) process.place = std::move(place);
  }
  return process;
}

template <typename Use>
void for_each_ancestor(const Processes& processes, const Process& process, const Use& use) {
  std::set<pid_t> met;  // numbers are given again while we look
  for (auto above = processes.find(process.parent);
       above != processes.end() && met.insert(above->first).second;
       above = processes.find(above->second.parent)) {
    use(above->second);
  }
}

// Loaders and compilers below a rank have its variables; what starts ranks may have those of another
// launcher.
std::vector<const Process*> ranks_among(const Processes& processes) {
  std::set<pid_t> left_out;
  for (const auto& entry : processes) {  // Clang 14 captures no structured bindings
    const Process& process = entry.second;
    if (!process.place) continue;
    for_each_ancestor(processes, process, [&](const Process& above) {
      if (!above.place) return;
      const bool is_same =
          above.place->kind == process.place->kind && above.place->rank == process.place->rank;
      const bool is_starter =
          above.place->kind > process.place->kind || (above.place->kind == process.place->kind && !is_same);
      left_out.insert(is_starter ? above.pid : process.pid);
    });
  }
  std::vector<const Process*> ranks;
  for (const auto& [pid, process] : processes) {
    if (process.place && left_out.count(pid) == 0) ranks.push_back(&process);
  }
  return ranks;
}

std::string command_of(const Process& process) {
  return fmt::format("{}", fmt::join(process.words, " "));
}

// The script rather than the interpreter.
std::string program_of(const Process& process) {
  for (const std::string& word : process.words) {
    if (word.ends_with(".py")) return launchers::program_name(word);
  }
  return process.words.empty() ? "?" : launchers::program_name(process.words.front());
}

RankProcess rank_process(const Process& process) {
  return {.pid = process.pid,
          .start_ticks = process.start_ticks,
          .rank = process.place ? std::optional(process.place->rank) : std::nullopt,
          .command = command_of(process)};
}

std::vector<RunningJob> launched_jobs(const Processes& processes) {
  std::map<std::string, RunningJob> jobs;
  for (const Process* process : ranks_among(processes)) {
    const Place& place = *process->place;
    // Without a word of the launcher, what has the same parent belongs together.
    const std::string key = place.key.empty() ? fmt::format("parent {}", process->parent) : place.key;
    RunningJob& job = jobs[fmt::format("{} {}", place.kind, key)];
    job.key = key;
    if (job.program.empty()) job.program = program_of(*process);
    if (place.world_size) job.world_size = place.world_size;
    if (place.local_size) job.local_size = place.local_size;
    job.ranks.push_back(rank_process(*process));
  }
  std::vector<RunningJob> found;
  for (auto& [key, job] : jobs) found.push_back(std::move(job));
  return found;
}

bool is_started_by_multiprocessing(const Process& child, const Process& parent) {
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(child.words,
                               [&](const std::string& one) { return one.find(word) != std::string::npos; });
  };
  return has("multiprocessing.spawn") || has("multiprocessing.forkserver") || child.words == parent.words;
}

// torch.multiprocessing.spawn, Lightning's ddp_spawn and the like: Python children of one Python parent.
std::vector<RunningJob> spawned_jobs(const Processes& processes) {
  std::map<pid_t, RunningJob> jobs;
  for (const auto& [pid, process] : processes) {
    const auto parent = processes.find(process.parent);
    if (process.place || parent == processes.end() || parent->second.place || process.words.empty()) continue;
    const auto is_python = [](const Process& one) {
      return !one.words.empty() && launchers::is_python(launchers::program_name(one.words.front()));
    };
    if (!is_python(process) || !is_python(parent->second)) continue;
    if (!is_started_by_multiprocessing(process, parent->second)) continue;
    RunningJob& job = jobs[parent->first];
    job.key = fmt::format("parent {}", parent->first);
    job.program = program_of(parent->second);
    job.starts_ranks_itself = true;
    job.ranks.push_back(rank_process(process));
  }
  std::vector<RunningJob> found;
  for (auto& [parent, job] : jobs) {
    if (job.ranks.size() > 1) found.push_back(std::move(job));
  }
  return found;
}

bool holds(const RunningJob& job, const Processes& processes, pid_t pid) {
  const auto is_above = [&](pid_t below, pid_t above) {
    const auto from = processes.find(below);
    if (from == processes.end()) return false;
    bool is_met = below == above;
    for_each_ancestor(processes, from->second,
                      [&](const Process& one) { is_met = is_met || one.pid == above; });
    return is_met;
  };
  return std::ranges::any_of(
      job.ranks, [&](const RankProcess& rank) { return is_above(rank.pid, pid) || is_above(pid, rank.pid); });
}

Processes all_that_may_be_looked_at(const process::Roots& roots, const Selection& selection) {
  Processes processes;
  for (const pid_t pid : process::all_processes(roots)) {
    if (auto process = look_at(roots, pid, selection)) processes.emplace(pid, std::move(*process));
  }
  // A shell of a Slurm step gives its variables to this program as well, and to what started it.
  std::set<pid_t> own = {::getpid()};
  if (const auto self = processes.find(::getpid()); self != processes.end())
    for_each_ancestor(processes, self->second, [&](const Process& above) { own.insert(above.pid); });
  for (const pid_t pid : own) {
    if (const auto one = processes.find(pid); one != processes.end()) one->second.place.reset();
  }
  return processes;
}

}  // namespace

std::vector<RunningJob> find_jobs(const process::Roots& roots, const Selection& selection) {
  const Processes processes = all_that_may_be_looked_at(roots, selection);
  std::vector<RunningJob> jobs = launched_jobs(processes);
  for (RunningJob& job : spawned_jobs(processes)) jobs.push_back(std::move(job));
  if (selection.pid)
    std::erase_if(jobs, [&](const RunningJob& job) { return !holds(job, processes, *selection.pid); });
  for (RunningJob& job : jobs)
    std::ranges::sort(job.ranks, {},
                      [](const RankProcess& one) { return std::pair(one.rank, one.start_ticks); });
  std::ranges::stable_sort(jobs, {}, [](const RunningJob& job) {
    return std::ranges::min(job.ranks, {}, &RankProcess::start_ticks).start_ticks;
  });
  return jobs;
}

}  // namespace lockstep::attach
