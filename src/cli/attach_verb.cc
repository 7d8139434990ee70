#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "attach/attach.h"
#include "attach/look_json.h"
#include "base/escape.h"
#include "base/process/signal_gate.h"
#include "base/text_fields.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "hostinfo/collect/program.h"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

Result<std::optional<pid_t>> attached_pid(const Args& args) {
  if (args.operands.empty()) return std::optional<pid_t>();
  const auto pid = base::number_in<pid_t>(args.operands.front());
  if (!pid || *pid <= 0)
    return Error{"no process has this number", args.operands.front(), "not a positive number",
                 "lockstep attach   lists every job of this host"};
  return std::optional(*pid);
}

Result<milliseconds> looking_interval(const std::string& typed) {
  double seconds = 0;
  const auto [end, fault] = std::from_chars(typed.data(), typed.data() + typed.size(), seconds);
  constexpr double kLongest = 86'400;
  if (fault != std::errc() || end != typed.data() + typed.size() || !(seconds >= 1 && seconds <= kLongest))
    return Error{"wrong value for '--every'", typed, "not a number of seconds from 1 to 86400", ""};
  return milliseconds(std::lround(seconds * 1000));
}

Result<std::vector<std::string>> lines_of(const std::vector<std::string>& command, std::string_view what) {
  const hostinfo::Answer answer = hostinfo::ask(command);
  if (!answer.ok()) return Error{fmt::format("cannot list {}", what), command.front(), answer.why_not, ""};
  std::vector<std::string> lines;
  for (std::string_view rest = answer.text; !rest.empty();) {
    const std::string_view line = base::trimmed(base::take_line(rest));
    if (!line.empty()) lines.emplace_back(line);
  }
  if (lines.empty()) return Error{fmt::format("cannot list {}", what), command.back(), "there are none", ""};
  return lines;
}

Result<hostinfo::RemoteRequest> hosts_of_slurm(const Args& args, const std::string& job) {
  const auto lists = TRY(lines_of({"squeue", "--noheader", "--states=RUNNING", "--format=%N", "--jobs", job},
                                  "the hosts of the Slurm job"));
  hostinfo::RemoteRequest request = remote_request(
      args, TRY(lines_of({"scontrol", "show", "hostnames", lists.front()}, "the hosts of the Slurm job")));
  request.via = hostinfo::Via::kSrun;
  request.slurm_job = job;
  return request;
}

Result<hostinfo::RemoteRequest> pods_with(const Args& args, const std::string& selector) {
  const auto pods = TRY(
      lines_of({"kubectl", "get", "pods", "--selector", selector, "--field-selector=status.phase=Running",
                "--output", R"(jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end})"},
               "the pods"));
  hostinfo::RemoteRequest request = remote_request(args, pods);
  request.via = hostinfo::Via::kKubectl;
  return request;
}

Result<std::optional<hostinfo::RemoteRequest>> other_hosts(const Args& args) {
  if (const auto job = args.value("slurm")) return std::optional(TRY(hosts_of_slurm(args, *job)));
  if (const auto selector = args.value("pods")) return std::optional(TRY(pods_with(args, *selector)));
  const std::vector<std::string> hosts = words_in(args.values("hosts"));
  if (hosts.empty()) return std::optional<hostinfo::RemoteRequest>();
  return std::optional(remote_request(args, hosts));
}

Result<attach::Request> attach_request_from(const Args& args) {
  attach::Request request;
  if (::geteuid() != 0) request.selection.owner = ::geteuid();
  request.selection.pid = TRY(attached_pid(args));
  request.look.may_pause = args.has("pause");
  request.elsewhere = TRY(other_hosts(args));
  if (request.elsewhere && request.selection.pid)
    return Error{"a process and other hosts", args.operands.front(),
                 "the number names a process of this host", "leave one of them out"};
  return request;
}

Result<void> save_jobs(const Args& args, const std::vector<attach::Examined>& jobs, Terminal& terminal) {
  const auto out = args.value("out");
  if (!out) return {};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const fs::path folder = jobs.size() == 1 ? fs::path(*out) : fs::path(*out) / fmt::format("job_{}", i);
    TRY(attach::save(jobs[i], folder));
    terminal.tell(fmt::format("lockstep: saved in {}; 'lockstep diagnose {}' reads it\n",
                              base::escape_for_terminal(folder.string()),
                              base::escape_for_terminal(folder.string())));
  }
  return {};
}

Result<ExitStatus> show_jobs(const Args& args, const std::vector<attach::Examined>& jobs,
                             Terminal& terminal) {
  ExitStatus status = ExitStatus::kNothingFound;
  for (const attach::Examined& job : jobs) {
    const bool has_findings = !job.judgement.verdict.findings.empty();
    if (has_findings) status = ExitStatus::kFindings;
    if (args.has("json")) {
      TRY(terminal.write(attach::encode(job)));
      continue;
    }
    TRY(terminal.write(attach::describe(job)));
    if (!has_findings) {
      for (const std::string& limit : job.judgement.verdict.limits)
        TRY(terminal.write("  Limit: " + base::escape_for_terminal(limit) + "\n"));
    }
    TRY(terminal.write("\n"));
    if (has_findings) TRY(write_verdict(job.judgement.verdict, {.details = args.has("details")}, terminal));
  }
  return status;
}

Result<ExitStatus> look_once(const Args& args, const attach::Request& request, Terminal& terminal) {
  const std::vector<attach::Examined> jobs = TRY(attach::attach(request));
  TRY(save_jobs(args, jobs, terminal));
  return show_jobs(args, jobs, terminal);
}

bool was_told_to_stop(const process::SignalGate& gate, milliseconds time) {
  pollfd queue{.fd = gate.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&queue, 1, static_cast<int>(time.count())) > 0;
}

// Until the jobs have ended or somebody presses Ctrl-C.
Result<ExitStatus> keep_looking(const Args& args, const attach::Request& request, milliseconds interval,
                                Terminal& terminal) {
  ExitStatus status = TRY(look_once(args, request, terminal));
  const process::SignalGate gate{SIGINT, SIGTERM};
  while (!was_told_to_stop(gate, interval)) {
    const auto again = look_once(args, request, terminal);
    if (!again.ok()) break;
    status = again.value();
    TRY(terminal.flush());
  }
  return status;
}

Result<ExitStatus> run_attach(const Args& args, Terminal& terminal) {
  if (args.has("remove-itself")) hostinfo::remove_own_copy();
  const attach::Request request = TRY(attach_request_from(args));
  if (args.has("as-agent")) {
    TRY(terminal.write(attach::encode_looks(attach::look_here(request))));
    return ExitStatus::kNothingFound;
  }
  if (const auto every = args.value("every"))
    return keep_looking(args, request, TRY(looking_interval(*every)), terminal);
  return look_once(args, request, terminal);
}

constexpr std::string_view kAttachVias[] = {"ssh", "srun", "mpirun", "kubectl"};

constexpr Flag kAttachFlags[] = {
    {.name = "hosts",
     .value_name = "HOSTS",
     .help = "Look at these hosts, with commas between them, instead of this one",
     .repeatable = true},
    {.name = "slurm", .value_name = "JOB", .help = "Look at the hosts of this Slurm job, by srun"},
    {.name = "pods",
     .value_name = "SELECTOR",
     .help = "Look into the running pods with these labels, by kubectl"},
    {.name = "via",
     .value_name = "PROGRAM",
     .help = "How --hosts are reached",
     .choices = kAttachVias,
     .default_value = "ssh"},
    kProgramFlag,
    kSendFlag,
    {.name = "every",
     .value_name = "SECONDS",
     .help = "Keep looking, this often, until Ctrl-C or the job's end"},
    {.name = "out",
     .short_name = 'o',
     .value_name = "DIR",
     .help = "Save stacks, what was seen and the findings there, for diagnose and for others",
     .kind = ValueKind::kFolder},
    {.name = "pause", .help = "Let a rank stand still for the milliseconds in which its stack is read"},
    {.name = "details", .help = "Show all evidence and all fixes"},
    {.name = "as-agent", .help = "Print what was seen, for the lockstep on another host that judges it"},
    kRemoveItselfFlag,
};

constexpr std::string_view kAttachDescription[] = {
    "Finds out why a running job hangs that was started without Lockstep: which ranks wait, in which call, "
    "and "
    "which rank they wait for. Looks at every distributed job of this host that you may look at, or at the "
    "one "
    "of process PID.",
    "Finds ranks by what torchrun, accelerate, deepspeed, horovodrun, mpirun, srun and TF_CONFIG told them, "
    "and "
    "those that a script starts itself by torch.multiprocessing. Looks three times within two seconds: "
    "Python "
    "stacks (by py-spy), loop counters, states and waits of the kernel. No rank is stopped, nothing is put "
    "into "
    "it. A job whose ranks move is not called hung; neither is one that waits for a rank at work, for a "
    "minute.",
    "Stacks need the right to read the ranks' memory: the same user where kernel.yama.ptrace_scope is 0, "
    "root "
    "otherwise. Without it, states and waits are still shown, and what is missing is said.",
    "On other hosts lockstep is started by ssh, srun or kubectl and leaves nothing behind.",
};

constexpr Example kAttachExamples[] = {
    {"lockstep attach", "Every distributed job of mine on this host"},
    {"lockstep attach 4711 -o stuck", "The job of that process; save what was seen"},
    {"lockstep attach --slurm 123456", "On all hosts of a Slurm job"},
    {"lockstep attach --pods job-name=train --send",
     "In the pods of a Kubernetes job, which have no lockstep"},
};

}  // namespace

constinit const Verb kAttachVerb{
    .name = "attach",
    .one_line = "which rank holds up a job that was started without Lockstep?",
    .usage = "attach [PID] [flags]",
    .group = VerbGroup::kWatch,
    .description = kAttachDescription,
    .examples = kAttachExamples,
    .operands = {.name = "PID",
                 .min = 0,
                 .max = 1,
                 .help = "A rank, or what started it; default: every job here"},
    .flags = kAttachFlags,
    .globals = {.json = true, .color = true},
    .run = run_attach,
};

}  // namespace lockstep::cli
