#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "cli/service_client.h"
#include "cli/verb.h"
#include "service/client/submission.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using base::Json;

Error wrong(std::string_view flag, const std::string& value, std::string why, std::string hint) {
  return Error{fmt::format("wrong value for '--{}'", flag), value, std::move(why), std::move(hint)};
}

// "4", or "2:8" for a job that takes what is free.
Result<Json> workers_from(const std::string& text) {
  const std::string_view least = base::word_of(text, ':');
  const auto min = base::number_in<int>(least);
  if (least.size() == text.size() && min) return Json(*min);
  const auto max =
      base::number_in<int>(std::string_view(text).substr(std::min(least.size() + 1, text.size())));
  if (!min || !max)
    return wrong("workers", text, "not a number", "as 4, or 2:8 for at least 2 and at most 8");
  return Json{{"min", *min}, {"max", *max}};
}

Result<void> add_number(const Args& args, const char* flag, const char* field, Json& request) {
  const auto text = args.value(flag);
  if (!text || text->empty()) return {};
  const auto number = base::number_in<std::int64_t>(*text);
  if (!number) return wrong(flag, *text, "not a whole number", "");
  request[field] = *number;
  return {};
}

// "512M" or "8G"
Result<void> add_memory(const Args& args, const char* flag, const char* field, Json& request) {
  const auto text = args.value(flag);
  if (!text || text->empty()) return {};
  const std::string digits = text->substr(0, text->find_first_of("MG"));
  const auto number = base::number_in<std::int64_t>(digits);
  const bool has_unit = text->size() == digits.size() + 1;
  if (!number || !has_unit || *number > (1 << 20)) return wrong(flag, *text, "not a size", "as 512M or 8G");
  request[field] = *number << (text->back() == 'G' ? 30 : 20);
  return {};
}

Result<void> add_what_runs(const Args& args, Json& request) {
  if (args.operands.empty()) {
    if (args.command.empty()) {
      return Error{"nothing to run", "", "neither a script nor a command was given",
                   "lockstep submit train.py --workers 4"};
    }
    request["command"] = args.command;
    return {};
  }
  request["script"] = fs::absolute(args.operands.front()).lexically_normal().string();
  if (!args.command.empty()) request["args"] = args.command;
  return {};
}

// What the service says of a member of the request, by what was typed for it.
std::string typed_for(const std::string& pointer, const Args& args) {
  constexpr std::pair<std::string_view, std::string_view> kTyped[] = {
      {"/workers", "--workers"},
      {"/cpus_per_worker", "--cpus"},
      {"/gpus_per_worker", "--gpus"},
      {"/time_limit_s", "--time-limit"},
      {"/retries", "--retries"},
      {"/repairs", "--repairs"},
      {"/priority", "--priority"},
      {"/nodes", "--nodes"},
      {"/engine", "--engine"},
      {"/partition", "--partition"},
      {"/account", "--account"},
      {"/memory_per_worker", "--memory"},
      {"/memory_most", "--memory-most"},
      {"/checkpoint_directory", "--checkpoints"},
      {"/framework", "--framework"},
      {"/command", "the command"},
      {"/args", "the script's arguments"},
      {"/directory", "the current folder"},
      {"/environment", "--env"},
      {"/files", "--files"},
      {"/labels", "--label"},
  };
  if (pointer == "/script" && !args.operands.empty()) return args.operands.front();
  const std::string field = pointer.substr(0, pointer.find('/', 1));
  const std::string inner = pointer.substr(field.size());
  for (const auto& [member, typed] : kTyped) {
    if (member == field) return std::string(typed) + (inner.empty() ? "" : " " + inner.substr(1));
  }
  return pointer;
}

// A refusal of the request, in a line for each fault.
Error refusal_in_words(Error refused, const service::Answer& answer, const Args& args) {
  const auto problem = base::parse_json(answer.body, "answer");
  if (!problem.ok()) return refused;
  std::vector<std::string> faults;
  for (const Json& fault : base::list_at(problem.value(), "errors")) {
    faults.push_back(fmt::format("{} {}", typed_for(base::text_at(fault, "pointer"), args),
                                 base::text_at(fault, "detail")));
  }
  if (!faults.empty()) refused.why = fmt::format("{}", fmt::join(faults, "; "));
  return refused;
}

// Looked at here, where the name means what was typed.
Result<void> check_script(const Args& args) {
  if (args.operands.empty()) return {};
  const std::string& script = args.operands.front();
  std::error_code fault;
  if (!fs::exists(script, fault)) return Error{"cannot submit", script, "no such file", ""};
  if (fs::is_directory(script, fault))
    return Error{"cannot submit", script, "it is a folder", "name the script in it"};
  if (::access(script.c_str(), R_OK) != 0) return base::error_from_errno("cannot submit", script);
  return {};
}

// The job gets a folder of its own with what is sent; paths of this machine or folder mean nothing there.
Result<void> add_files(const Args& args, Json& request) {
  std::vector<std::string> paths = args.values("files");
  if (!args.operands.empty()) {
    paths.push_back(args.operands.front());
    request["script"] = service::path_in_job(args.operands.front());
  }
  request["files"] = service::encode_files(TRY(service::read_sent_files(paths)));
  return {};
}

Result<Json> submission_from(const Args& args) {
  const bool is_remote = !args.value("service").value_or("").empty();
  const auto environment = TRY(service::submitted_environment(
      process::own_environment(), args.values("env"),
      is_remote ? service::Sender::kAnotherMachine : service::Sender::kThisMachine));
  Json request = Json::object();
  const bool sends_files = !args.values("files").empty() || (is_remote && !args.operands.empty());
  TRY(add_what_runs(args, request));
  if (sends_files) TRY(add_files(args, request));
  const bool has_image = args.value("engine").value_or("") == "kubernetes";  // with an interpreter of its own
  const auto path = environment.find("PATH");
  if (const std::string python = service::interpreter_in(path == environment.end() ? "" : path->second);
      !is_remote && !has_image && !args.operands.empty() && !python.empty()) {
    request["python"] = python;
  }
  request["workers"] = TRY(workers_from(*args.value("workers")));
  if (!is_remote && !sends_files) request["directory"] = fs::current_path().string();
  request["environment"] = environment;
  if (const auto framework = args.value("framework"); framework && *framework != "auto")
    request["framework"] = *framework;
  TRY(add_number(args, "cpus", "cpus_per_worker", request));
  TRY(add_number(args, "gpus", "gpus_per_worker", request));
  TRY(add_number(args, "time-limit", "time_limit_s", request));
  TRY(add_number(args, "retries", "retries", request));
  TRY(add_number(args, "repairs", "repairs", request));
  TRY(add_number(args, "priority", "priority", request));
  TRY(add_number(args, "nodes", "nodes", request));
  for (const char* field : {"engine", "partition", "account"}) {
    if (const auto text = args.value(field); text && !text->empty()) request[field] = *text;
  }
  TRY(add_memory(args, "memory", "memory_per_worker", request));
  TRY(add_memory(args, "memory-most", "memory_most", request));
  if (const auto folder = args.value("checkpoints"); folder && !folder->empty()) {
    request["checkpoint_directory"] = fs::absolute(*folder).string();
  }
  for (const std::string& label : args.values("label")) {
    const std::string name(base::word_of(label, '='));
    if (name.size() >= label.size()) return wrong("label", label, "has no value", "as NAME=VALUE");
    request["labels"][name] = label.substr(name.size() + 1);
  }
  return request;
}

Result<ExitStatus> wait_for(const service::Client& client, const std::string& id, bool shown,
                            const Args& args, Terminal& terminal) {
  TRY(shown ? follow_job(client, id, "", terminal) : wait_for_job(client, id, terminal));
  const Json job = TRY(json_of(client.send("GET", "/v1/jobs/" + id)));
  if (args.has("json")) TRY(terminal.write(base::to_text(job, base::JsonLayout::kIndented)));
  TRY(print_job(job, terminal));
  return ExitStatus{status_of(job)};
}

Result<ExitStatus> run_submit(const Args& args, Terminal& terminal) {
  TRY(check_script(args));
  const Json request = TRY(submission_from(args));
  if (const auto kind = args.value("dry-run")) {
    const Json manifest = TRY(service::manifest_for(
        request,
        {.kind = *kind, .image = args.value("image").value_or(""), .variables = args.values("env")}));
    TRY(terminal.write(base::to_text(manifest, base::JsonLayout::kIndented)));
    return ExitStatus::kNothingFound;
  }
  const service::Client client = TRY(reach_service(args));
  const std::string body = base::to_text(request, base::JsonLayout::kOneLine);
  const std::string key = service::make_job_id(service::now_in_ms());
  auto sent = client.send("POST", "/v1/jobs", body, {{"Idempotency-Key", key}});
  if (!sent.ok()) {  // it went to rest, or was killed: the key makes the second time harmless
    sent = TRY(reach_service(args)).send("POST", "/v1/jobs", body, {{"Idempotency-Key", key}});
  }
  const auto accepted = json_of(sent);
  if (!accepted.ok())
    return sent.ok() ? refusal_in_words(accepted.error(), sent.value(), args) : accepted.error();
  const Json& job = accepted.value();
  const std::string id = base::text_at(job, "id");
  const bool waits = args.has("wait") || args.has("follow");
  // It has the key of its user: for a person to click, not for the log of a program.
  const bool is_local = args.value("service").value_or("").empty();
  const auto address = is_local && terminal.err_is_terminal() ? page_address(client, id) : std::nullopt;
  if (waits) {
    terminal.tell(fmt::format("lockstep: {}\n", id));
    if (address) terminal.tell(fmt::format("lockstep: see it at {}\n", *address));
    return wait_for(client, id, args.has("follow"), args, terminal);
  }
  TRY(terminal.write(args.has("json") ? base::to_text(job, base::JsonLayout::kIndented) : id + "\n"));
  terminal.tell(fmt::format(
      "lockstep: see it with 'lockstep jobs {}', follow it with 'lockstep logs --follow {}'\n", id, id));
  terminal.tell(address ? fmt::format("lockstep: in a browser: {}\n", *address)
                        : fmt::format("lockstep: in a browser: 'lockstep page {}'\n", id));
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kManifestKinds[] = {"job", "pytorchjob", "mpijob", "tfjob", "jobset"};
constexpr std::string_view kSubmitEngines[] = {"local", "slurm", "kubernetes"};
constexpr std::string_view kFrameworks[] = {"auto", "pytorch", "tensorflow", "horovod", "plain"};

constexpr Flag kSubmitFlags[] = {
    {.name = "workers",
     .short_name = 'n',
     .value_name = "N",
     .help = "How many ranks; MIN:MAX for a job that takes what is free",
     .default_value = "1"},
    {.name = "follow",
     .short_name = 'f',
     .help = "Show what the ranks print until the job is over, then its end"},
    {.name = "wait", .short_name = 'w', .help = "Wait for the end of the job and pass on its status"},
    {.name = "framework",
     .value_name = "NAME",
     .help = "What the script trains with, if its imports do not show it",
     .choices = kFrameworks,
     .default_value = "auto"},
    {.name = "cpus", .value_name = "N", .help = "Cores for each rank"},
    {.name = "gpus", .value_name = "N", .help = "GPUs for each rank"},
    {.name = "memory", .value_name = "SIZE", .help = "Memory that each rank may have, as 512M or 8G"},
    {.name = "memory-most",
     .value_name = "SIZE",
     .help = "Memory to which a retry may raise that of each rank"},
    {.name = "engine",
     .value_name = "NAME",
     .help = "Who runs the ranks; the service's own choice if it is not given",
     .choices = kSubmitEngines},
    {.name = "nodes", .value_name = "N", .help = "Over how many nodes of the cluster the ranks are spread"},
    {.name = "partition", .value_name = "NAME", .help = "The partition of Slurm"},
    {.name = "account", .value_name = "NAME", .help = "To whom Slurm charges the job"},
    {.name = "dry-run",
     .value_name = "KIND",
     .help = "Print the job as a manifest for kubectl, and hand in nothing",
     .choices = kManifestKinds},
    {.name = "image", .value_name = "NAME", .help = "The container image of a manifest"},
    {.name = "time-limit", .value_name = "SECONDS", .help = "End an attempt after so long"},
    {.name = "env",
     .short_name = 'e',
     .value_name = "VARIABLE",
     .help = "NAME or NAME=VALUE for the ranks, besides what programs and frameworks need",
     .repeatable = true},
    {.name = "files",
     .value_name = "PATH",
     .help = "Send a file or folder along; the job then runs in a folder of its own with what was sent",
     .repeatable = true,
     .kind = ValueKind::kFile},
    {.name = "retries",
     .value_name = "N",
     .help = "Start a job again after a failure of which nothing is known, so often"},
    {.name = "repairs",
     .value_name = "N",
     .help =
         "Start a job again after a fault that can be repaired or passed by, so often; 3 if it is not given"},
    {.name = "checkpoints",
     .value_name = "DIR",
     .help = "Told to every attempt as LOCKSTEP_CHECKPOINT_DIR",
     .kind = ValueKind::kFolder},
    {.name = "priority", .value_name = "N", .help = "Higher comes first, from -1000 to 1000"},
    {.name = "label", .value_name = "NAME=VALUE", .help = "A name to find the job by", .repeatable = true},
    kStateFlag,
    kServiceFlag,
    kTokenFileFlag,
    kTlsCaFlag,
};

constexpr std::string_view kSubmitDescription[] = {
    "Hands a training script to the service, which starts it on so many ranks: no hosts, ports, ranks or "
    "network cards. "
    "The framework is told from the script's imports. The script runs in the current folder with the python3 "
    "of this "
    "shell; words behind '--' are its arguments. Without a script they are the command of every rank.",
    "A service is started when none is there. The answer is the name of the job. The job is recorded and "
    "watched as "
    "'lockstep run' does it; a hang is ended, and a failure is explained by 'lockstep jobs ID'.",
    "Of this shell's environment the job gets PATH, HOME, PYTHONPATH, VIRTUAL_ENV, LD_LIBRARY_PATH and what "
    "frameworks "
    "read (TF_, KERAS_, TORCH_, NCCL_, GLOO_, XLA_, OMP_, MKL_); the rest by --env. Values are sealed while "
    "the job "
    "waits and never shown.",
    "With --files the job runs in a folder of its own, which holds the script and what was sent by the same "
    "paths as here, at most 1,024 files of 5 MB together. Of a folder all but hidden files and __pycache__ "
    "is "
    "sent.",
    "With --service the job goes to a service of another machine: the script itself is sent, and of the "
    "environment only what frameworks read and what --env names.",
    "Exit status: 0 when the job was accepted; with --wait or --follow the job's own: that of the rank which "
    "failed "
    "first; 2 when it could not be submitted.",
};

constexpr Example kSubmitExamples[] = {
    {"lockstep submit train.py --workers 4", "That is all"},
    {"lockstep submit train.py --workers 4 --follow -- --lr 0.1", "With an argument, and watch it"},
    {"lockstep submit train.py --workers 4 --files model.py --files configs",
     "With what it imports and reads"},
    {"lockstep submit --workers 2:8 --retries 1 train.py",
     "As many ranks as are free, and again if it fails"},
};

}  // namespace

constinit const Verb kSubmitVerb{
    .name = "submit",
    .one_line = "hand a training script to the service",
    .usage = "submit [flags] [SCRIPT] [-- WORDS...]",
    .group = VerbGroup::kService,
    .description = kSubmitDescription,
    .examples = kSubmitExamples,
    .operands =
        {.name = "SCRIPT", .min = 0, .max = 1, .help = "The training script", .kind = ValueKind::kFile},
    .command = TakesCommand::kMay,
    .flags = kSubmitFlags,
    .globals = {.json = true, .color = true},
    .run = run_submit,
};

}  // namespace lockstep::cli
