#include "service/engine/local_engine.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"
#include "service/engine/start_apart.h"
#include "service/job/resolve.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOwnSharedMemory = std::int64_t{8} << 30;  // taken only as it is used

Result<void> make_private_folder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (!fault) fs::permissions(folder, fs::perms::owner_all, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), ""};
  return {};
}

Result<void> lay_files(const JobSpec& spec, const fs::path& folder) {
  TRY(make_private_folder(folder));
  for (const auto& [name, content] : spec.files) {
    const fs::path path = folder / name;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    TRY(base::write_file(path, content));
  }
  return {};
}

std::vector<std::string> command_of(const JobSpec& spec, const fs::path& own_folder) {
  if (!spec.command.empty()) return spec.command;
  std::vector<std::string> command = {spec.python.empty() ? "python3" : spec.python,
                                      script_path(spec, own_folder).string()};
  command.insert(command.end(), spec.args.begin(), spec.args.end());
  return command;
}

// The service's own surroundings are those of whoever needed it first; a job gets the few that every program
// needs, what its user said, and what earlier attempts taught.
std::vector<std::string> environment_of(const Job& job) {
  const JobSpec& spec = job.spec;
  std::map<std::string, std::string> variables;
  for (const char* name :
       {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SHELL", "SLURM_CONF"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  for (const auto& [name, value] : spec.environment) variables[name] = value;
  for (const auto& [name, value] : job.repairs.environment) {
    if (value.empty()) {
      variables.erase(name);
    } else {
      variables[name] = value;
    }
  }
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

SlurmRequest slurm_request_for(const Job& job, const Attempt& attempt, const std::string& tools) {
  const std::int64_t ranks = ranks_on(0, attempt.workers, attempt.nodes);  // no node has more
  return {.tools = tools,
          .partition = job.partition,
          .account = job.spec.account,
          .cpus_per_node = static_cast<int>(job.per_worker.millicpus * ranks / 1000),
          .gpus_per_node = static_cast<int>(job.per_worker.gpus * ranks),
          .memory_per_node = job.per_worker.memory_bytes * ranks,
          .excluded_nodes = job.repairs.excluded_nodes};
}

KubernetesRequest kubernetes_request_for(const Job& job, const Attempt& attempt,
                                         const KubernetesSettings& settings) {
  const bool is_whole =
      attempt.workers == job.spec.workers_max;  // what is left of a job goes where there is room
  return {.kubeconfig = settings.kubeconfig.string(),
          .pod = settings.pod,
          .millicpus = job.per_worker.millicpus,
          .memory = job.per_worker.memory_bytes,
          .gpus = job.per_worker.gpus,
          .hosts = is_whole ? std::min(job.spec.nodes, attempt.workers) : 0,
          .gang_wait_s = settings.gang_wait_s,
          .excluded_nodes = job.repairs.excluded_nodes};
}

Result<bool> is_a_supervisor(std::int64_t pid) {
  const auto command = TRY(read_if_there(fmt::format("/proc/{}/cmdline", pid), 1 << 16));
  return command && command->find("service-part") != std::string::npos;
}

}  // namespace

Result<pid_t> LocalEngine::start(const Job& job, const Attempt& attempt) {
  const AttemptFolder folder = folder_of(job.id, attempt.number);
  const fs::path own = files_of(job.id);
  TRY(make_private_folder(folder.path));
  TRY(lay_files(job.spec, own));
  Plan plan;
  plan.job_id = job.id;
  plan.attempt = attempt.number;
  plan.workers = attempt.workers;
  plan.framework = job.framework;
  plan.command = job.repairs.command.empty() ? command_of(job.spec, own) : job.repairs.command;
  plan.directory = job.spec.directory.empty() ? own.string() : job.spec.directory;
  plan.threads = static_cast<int>(std::max<std::int64_t>(job.per_worker.millicpus / 1000, 1));
  plan.memory_per_worker = job.per_worker.memory_bytes;
  plan.gpus = attempt.gpus;
  plan.ports = attempt.ports;
  plan.time_limit_s = job.spec.time_limit_s;
  plan.checkpoint_directory = job.spec.checkpoint_directory;
  plan.artifacts_directory = own.string();
  plan.nodes = attempt.nodes;
  plan.may_repair = std::max(job.spec.repairs, job.spec.retries) > 0;
  plan.node_environment = job.repairs.node_environment;
  if (job.repairs.has_own_shared_memory) plan.shared_memory = kOwnSharedMemory;
  if (job.engine == EngineKind::kSlurm) plan.slurm = slurm_request_for(job, attempt, access_.slurm_tools);
  if (job.engine == EngineKind::kKubernetes && access_.kubernetes)
    plan.kubernetes = kubernetes_request_for(job, attempt, *access_.kubernetes);
  TRY(write_plan(folder.plan(), plan));
  return start_apart({program_, "service-part", "attempt", folder.path.string()}, environment_of(job),
                     folder.path / "supervisor.log");
}

Result<pid_t> LocalEngine::adopt(const Job& job, const Attempt& attempt) {
  const AttemptFolder folder = folder_of(job.id, attempt.number);
  return start_apart({program_, "service-part", "adopt", folder.path.string()}, environment_of(job),
                     folder.path / "supervisor.log");
}

bool LocalEngine::is_running(pid_t supervisor) {
  return ::waitpid(supervisor, nullptr, WNOHANG) == 0;
}

Result<Standing> LocalEngine::standing(const std::string& job_id, int attempt) const {
  const AttemptFolder folder = folder_of(job_id, attempt);
  // In this order: the supervisor writes its last word before it lets go of the lock.
  if (TRY(is_taken(folder))) return Standing::kAtWork;
  if (TRY(is_there(folder.end()))) return Standing::kEnded;
  return TRY(is_there(folder.started())) ? Standing::kLost : Standing::kNotBegun;
}

Result<void> LocalEngine::ask_to_end(const std::string& job_id, int attempt) {
  const AttemptFolder folder = folder_of(job_id, attempt);
  TRY(make_private_folder(folder.path));
  TRY(note_end_asked(folder));
  // Only now: a supervisor that has not left its mark yet will see ours.
  const auto supervisor = TRY(process_that_started(folder));
  if (supervisor && *supervisor > 1 && TRY(is_a_supervisor(*supervisor)))
    ::kill(static_cast<pid_t>(*supervisor), SIGTERM);
  return {};
}

void LocalEngine::remove(const std::string& job_id) {
  std::error_code ignored;
  fs::remove_all(folder_of(job_id), ignored);
}

}  // namespace lockstep::service
