#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process/descriptor.h"
#include "base/result.h"
#include "cli/service_client.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "service/client/client.h"
#include "service/http/message.h"
#include "service/job/spec_fields.h"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;
using base::Json;

Result<void> download_one(const service::Client& client, const std::string& target, const fs::path& path) {
  std::error_code fault;
  fs::create_directories(path.parent_path(), fault);
  if (fault) return Error{"cannot make the folder", path.parent_path().string(), fault.message(), ""};
  fs::path beside = path;
  beside += ".partial";
  const process::Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return base::error_from_errno("cannot write", path);
  TRY(client.download(target, [&](std::string_view bytes) -> Result<void> {
    if (!base::write_all(file.get(), bytes)) return base::error_from_errno("cannot write", path);
    return {};
  }));
  fs::rename(beside, path, fault);
  if (fault) return Error{"cannot write", path.string(), fault.message(), ""};
  return {};
}

// As the service lists them.
Result<Json> artifacts_of(const service::Client& client, const std::string& job_id) {
  const Json listed = TRY(json_of(client.send("GET", fmt::format("/v1/jobs/{}/artifacts", job_id))));
  return listed.value("artifacts", Json::array());
}

Result<void> show_artifacts(const Json& artifacts, Terminal& terminal) {
  for (const Json& one : artifacts) {
    const std::string line = fmt::format("  artifact {} ({} bytes)", base::text_at(one, "path"),
                                         one.value("bytes", std::int64_t{0}));
    TRY(terminal.write(base::escape_for_terminal(line) + "\n"));
  }
  return {};
}

// Each under its own path below the folder; a file is there whole or not at all.
Result<void> download_artifacts(const service::Client& client, const std::string& job_id,
                                const Json& artifacts, const fs::path& folder, Terminal& terminal) {
  for (const Json& one : artifacts) {
    const std::string path = base::text_at(one, "path");
    if (!service::stays_inside(path))
      return Error{"cannot fetch an artifact", path, "its path leads out of the folder", ""};
    TRY(download_one(
        client, fmt::format("/v1/jobs/{}/artifacts/content?path={}", job_id, service::percent_encoded(path)),
        folder / path));
  }
  terminal.tell(fmt::format("lockstep: {} artifacts in {}\n", artifacts.size(), folder.string()));
  return {};
}

std::string what_runs(const Json& job) {
  const auto request = job.find("request");
  if (request == job.end()) return "";
  if (const std::string script = base::text_at(*request, "script"); !script.empty()) {
    return script.substr(script.rfind('/') + 1);
  }
  const auto command = request->find("command");
  const bool has_word =
      command != request->end() && command->is_array() && !command->empty() && (*command)[0].is_string();
  return has_word ? (*command)[0].get<std::string>() : "";
}

std::string row_of(const Json& job) {
  return fmt::format("{:<30}  {:<9}  {:<24}  {:<20}  {}\n", base::text_at(job, "id"),
                     base::text_at(job, "state"), base::text_at(job, "created_at"), what_runs(job),
                     base::text_at(job, "reason"));
}

Result<ExitStatus> list(const service::Client& client, const Args& args, Terminal& terminal) {
  std::string target = "/v1/jobs?limit=" + *args.value("limit");
  if (const auto state = args.value("in"); state && !state->empty()) target += "&state=" + *state;
  const Json page = TRY(json_of(client.send("GET", target)));
  if (args.has("json")) {
    TRY(terminal.write(base::to_text(page, base::JsonLayout::kIndented)));
    return ExitStatus::kNothingFound;
  }
  for (const Json& job : page["jobs"]) {
    const std::string row = row_of(job);
    TRY(terminal.write(base::escape_for_terminal(row.substr(0, row.size() - 1)) + "\n"));
  }
  if (page["jobs"].empty()) terminal.tell("lockstep: no jobs; hand one in with 'lockstep submit'\n");
  return ExitStatus::kNothingFound;
}

// For shells that complete one. A service is not started for it.
Result<ExitStatus> list_names(const Args& args, Terminal& terminal) {
  const auto client = service::Client::connect_running(state_folder(args));
  if (!client.ok()) return ExitStatus::kNothingFound;
  const Json page = TRY(json_of(client.value().send("GET", "/v1/jobs?limit=" + *args.value("limit"))));
  for (const Json& job : page["jobs"]) TRY(terminal.write(base::text_at(job, "id") + "\n"));
  return ExitStatus::kNothingFound;
}

Result<void> show_choices(const Json& job, Terminal& terminal) {
  const auto resolved = job.find("resolved");
  if (resolved == job.end()) return {};
  for (const auto& [name, choice] : resolved->items()) {
    const std::string line = fmt::format("  {:<18} {} ({})", name, base::text_at(choice, "value"),
                                         base::text_at(choice, "reason"));
    TRY(terminal.write(base::escape_for_terminal(line) + "\n"));
  }
  return {};
}

Result<void> show_ranks(const Json& job, Terminal& terminal) {
  const auto attempt = job.find("last_attempt");
  if (attempt == job.end() || !attempt->contains("ranks")) return {};
  for (const Json& rank : (*attempt)["ranks"]) {
    if (rank["ended_at"].is_null()) {
      TRY(terminal.write(
          fmt::format("  rank {:<5} {}  alive\n", rank["rank"].dump(), base::text_at(rank, "alive_at"))));
      continue;
    }
    const Json& signal = rank["signal"];
    const std::string how = signal.is_null() ? fmt::format("status {}", rank["exit_status"].dump())
                                             : fmt::format("signal {}", signal.dump());
    const bool was_asked = rank["was_asked_to_end"].is_boolean() && rank["was_asked_to_end"].get<bool>();
    TRY(terminal.write(fmt::format("  rank {:<5} {}  {}{}\n", rank["rank"].dump(),
                                   base::text_at(rank, "ended_at"), how,
                                   was_asked ? ", when it was told to end" : "")));
  }
  return {};
}

// Why a job is not running yet, as far as the other jobs tell.
Result<std::string> why_it_waits(const service::Client& client, const Json& job) {
  const Json running = TRY(json_of(client.send("GET", "/v1/jobs?limit=500&state=RUNNING")));
  const Json queued = TRY(json_of(client.send("GET", "/v1/jobs?limit=500&state=QUEUED")));
  const std::string id = base::text_at(job, "id");
  const auto before = std::ranges::count_if(
      queued["jobs"], [&](const Json& other) { return base::text_at(other, "id") < id; });
  if (running["jobs"].empty() && before == 0) return std::string("it will start at the service's next check");
  return fmt::format("no room yet: {} running, {} queued before it", running["jobs"].size(), before);
}

// What happened to it so far.
Result<void> show_events(const service::Client& client, const Json& job, Terminal& terminal) {
  const std::string id = base::text_at(job, "id");
  const Json answer = TRY(json_of(client.send("GET", fmt::format("/v1/jobs/{}/events", id))));
  for (const Json& event : answer.value("events", Json::array())) {
    const std::string line = fmt::format("  {}  {}", base::text_at(event, "at"), event_in_words(event));
    TRY(terminal.write(base::escape_for_terminal(line) + "\n"));
  }
  if (base::text_at(job, "state") == "QUEUED") {
    const std::string why = TRY(why_it_waits(client, job));
    TRY(terminal.write(fmt::format("  QUEUED: {}\n", why)));
  }
  const auto attempts = job.find("attempts");
  if (attempts != job.end() && attempts->is_number_integer() && attempts->get<int>() > 1)
    TRY(terminal.write(fmt::format("  {} attempts; below is the last one\n", attempts->get<int>())));
  return {};
}

Result<ExitStatus> show(const service::Client& client, const std::string& typed, const Args& args,
                        Terminal& terminal) {
  const std::string id = TRY(job_id_from(client, typed));
  const Json job = TRY(json_of(client.send("GET", "/v1/jobs/" + id)));
  const Json artifacts = TRY(artifacts_of(client, id));
  if (args.has("json")) {
    TRY(terminal.write(base::to_text(job, base::JsonLayout::kIndented)));
  } else {
    TRY(terminal.write(base::escape_for_terminal(row_of(job).substr(0, row_of(job).size() - 1)) + "\n"));
    TRY(show_choices(job, terminal));
    TRY(show_events(client, job, terminal));
    TRY(show_ranks(job, terminal));
    TRY(show_artifacts(artifacts, terminal));
    TRY(terminal.flush());
    TRY(print_job(job, terminal));
  }
  if (const std::string folder = args.value("download").value_or(""); !folder.empty())
    TRY(download_artifacts(client, id, artifacts, folder, terminal));
  return job.contains("diagnosis") ? ExitStatus::kFindings : ExitStatus::kNothingFound;
}

Result<ExitStatus> run_jobs(const Args& args, Terminal& terminal) {
  if (args.operands.empty() && args.has("download"))
    return Error{"nothing to download", "", "--download needs the name of a job", "lockstep jobs lists them"};
  if (args.has("names")) return list_names(args, terminal);
  const service::Client client = TRY(reach_service(args));
  return args.operands.empty() ? list(client, args, terminal)
                               : show(client, args.operands.front(), args, terminal);
}

constexpr std::string_view kStates[] = {"QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"};

constexpr Flag kJobsFlags[] = {
    {.name = "in", .value_name = "STATE", .help = "Only jobs in this state", .choices = kStates},
    {.name = "limit", .value_name = "N", .help = "The newest, so many", .default_value = "20"},
    {.name = "names", .help = "Names alone, one a line; starts no service"},
    {.name = "download",
     .value_name = "DIR",
     .help = "Fetch what the job left behind into this folder",
     .kind = ValueKind::kFolder},
    kStateFlag,
    kServiceFlag,
    kTokenFileFlag,
    kTlsCaFlag,
};

constexpr std::string_view kJobsDescription[] = {
    "Lists the jobs of the service, the newest first; or shows one: what was chosen for it and why, what "
    "happened "
    "to it, why it waits, how each rank ended, which failed first, and what was found. A name may be "
    "shortened "
    "to a beginning that no other job has, and 'job_' left out.",
    "What a job writes into its own folder is its artifacts: the folder it runs in when none was given, and "
    "LOCKSTEP_ARTIFACTS_DIR for every rank. They are listed, and --download fetches them.",
    "Exit status: 0; 1 when the job that is shown failed and something was found; 2 when there is no such "
    "job.",
};

constexpr Example kJobsExamples[] = {
    {"lockstep jobs", "The newest jobs"},
    {"lockstep jobs job_0001jm2k3c4d5e6f7g8h9j0kmn", "Why did this one fail?"},
    {"lockstep jobs job_0001jm2k3c4d5e6f7g8h9j0kmn --download out", "Fetch what it left behind"},
};

}  // namespace

constinit const Verb kJobsVerb{
    .name = "jobs",
    .one_line = "list the jobs of the service, or show one",
    .usage = "jobs [flags] [ID]",
    .group = VerbGroup::kService,
    .description = kJobsDescription,
    .examples = kJobsExamples,
    .operands = {.name = "ID",
                 .min = 0,
                 .max = 1,
                 .help = "The name of a job, or its beginning",
                 .kind = ValueKind::kJob},
    .flags = kJobsFlags,
    .globals = {.json = true, .color = true},
    .run = run_jobs,
};

}  // namespace lockstep::cli
