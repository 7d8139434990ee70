#include "run/evidence/job_processes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text_fields.h"
#include "launchers/rank_variables.h"
#include "launchers/tf_config.h"
#include "run/evidence/process_facts.h"

namespace lockstep::evidence {
namespace {

// TensorFlow counts its tasks so; others come behind.
constexpr std::array<std::string_view, 5> kRoles = {"chief", "master", "worker", "ps", "evaluator"};

std::optional<int> rank_by_tf_config(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const launchers::TfConfig config = launchers::read_tf_config(text);
  if (!config.type || !config.type->is_string() || !config.index) return std::nullopt;
  const auto index = config.index->is_number_integer() ? std::optional(config.index->get<int>())
                     : config.index->is_string() ? base::number_in<int>(config.index->get<std::string>())
                                                 : std::nullopt;
  if (!index || *index < 0) return std::nullopt;
  int before = 0;
  for (const std::string_view role : kRoles) {
    const launchers::TfConfig::Job* job = config.job(role);
    const int count = job == nullptr ? 0 : static_cast<int>(job->addresses.size());
    if (config.type->get<std::string>() == role)
      return *index < count ? std::optional(before + *index) : std::nullopt;
    before += count;
  }
  return std::nullopt;
}

std::optional<int> rank_in(std::string_view environ) {
  for (const launchers::RankVariables* variables : launchers::kAllRankVariables) {
    if (const auto rank = base::number_in<int>(variable_in(environ, variables->rank))) return rank;
  }
  return rank_by_tf_config(variable_in(environ, "TF_CONFIG"));
}

// As many ranks on this host as there are at all.
bool says_all_are_here(std::string_view environ) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 3> kSizes = {Pair{"LOCAL_WORLD_SIZE", "WORLD_SIZE"},
                                          {"HOROVOD_LOCAL_SIZE", "HOROVOD_SIZE"},
                                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"}};
  return std::ranges::any_of(kSizes, [&](const Pair& sizes) {
    const std::string_view here = variable_in(environ, sizes.first);
    return !here.empty() && here == variable_in(environ, sizes.second);
  });
}

struct OneProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = process::kGone;
  std::uint64_t cpu_ticks = 0;
  std::optional<int> rank;
  bool reads_a_pipe = false;  // `tee`, `sed`: it hands on what others print
};

bool has_pipe_as_input(const process::Roots& roots, pid_t pid) {
  std::error_code fault;
  const auto input = std::filesystem::read_symlink(roots.proc / std::to_string(pid) / "fd/0", fault);
  return !fault && input.native().starts_with("pipe:");
}

// Neither a rank, nor what started one, nor what one started.
bool is_something_else(const OneProcess& one, const std::vector<OneProcess>& all) {
  if (one.rank || one.reads_a_pipe) return false;
  std::set<pid_t> parents;
  for (const OneProcess& other : all) parents.insert(other.parent);
  return !parents.contains(one.pid);  // launchers have children
}

}  // namespace

JobProcesses find_job_processes(const process::Roots& roots, std::string_view recording) {
  std::vector<OneProcess> all;
  JobProcesses found;
  for (const pid_t pid : process::all_processes(roots)) {
    const std::filesystem::path folder = roots.proc / std::to_string(pid);
    const std::string environ = process::text_of(folder / "environ");
    if (variable_in(environ, "LOCKSTEP_RECORD") != recording) continue;
    const auto stat = process::parse_stat(process::text_of(folder / "stat"));
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    OneProcess one{.pid = pid,
                   .parent = static_cast<pid_t>(stat->parent),
                   .state = stat->state,
                   .cpu_ticks = stat->user_ticks + stat->system_ticks,
                   .rank = rank_in(environ),
                   .reads_a_pipe = has_pipe_as_input(roots, pid)};
    if (one.rank) {
      found.ranks.try_emplace(*one.rank, RankOfJob{pid, one.state, one.cpu_ticks});
      found.all_are_here = found.all_are_here || says_all_are_here(environ);
    }
    all.push_back(one);
  }
  found.may_start_more =
      std::ranges::any_of(all, [&](const OneProcess& one) { return is_something_else(one, all); });
  return found;
}

}  // namespace lockstep::evidence
