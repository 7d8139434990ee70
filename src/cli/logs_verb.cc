#include <fmt/format.h>

#include "base/escape.h"
#include "base/text_fields.h"
#include "cli/service_client.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

Result<std::string> query_from(const Args& args) {
  std::string query;
  for (const char* name : {"rank", "attempt"}) {
    const auto value = args.value(name);
    if (!value || value->empty()) continue;
    if (!base::number_in<int>(*value))
      return Error{fmt::format("wrong value for '--{}'", name), *value, "not a number", ""};
    query += fmt::format("&{}={}", name, *value);
  }
  return query;
}

Result<ExitStatus> run_logs(const Args& args, Terminal& terminal) {
  const std::string query = TRY(query_from(args));
  const service::Client client = TRY(reach_service(args));
  const std::string id = TRY(job_id_from(client, args.operands.front()));
  if (args.has("follow")) {
    TRY(follow_job(client, id, query, terminal));
    return ExitStatus::kNothingFound;
  }
  const bool is_json = args.has("json");
  Result<void> written;
  const service::Streamed streamed = client.stream(
      fmt::format("/v1/jobs/{}/logs?follow=false{}", id, query),
      {{"Accept", is_json ? "application/x-ndjson" : "text/plain"}}, [&](std::string_view line) {
        const bool is_shown = terminal.out_is_terminal() && !is_json;
        written = terminal.write(
            (is_shown ? base::escape_for_terminal(std::string(line)) : std::string(line)) + "\n");
        return written.ok();
      });
  if (streamed.trouble) return streamed.error;
  if (!written.ok()) return std::move(written).error();
  return ExitStatus::kNothingFound;
}

constexpr Flag kLogsFlags[] = {
    {.name = "follow", .short_name = 'f', .help = "Stay until the job is over"},
    {.name = "rank", .value_name = "N", .help = "Only this rank"},
    {.name = "attempt", .value_name = "N", .help = "Only this attempt"},
    kStateFlag,
    kServiceFlag,
    kTokenFileFlag,
    kTlsCaFlag,
};

constexpr std::string_view kLogsDescription[] = {
    "Shows what the ranks of a job printed, in the order in which they printed it, each line with its rank "
    "before it. "
    "Nothing is lost while no service runs: the ranks' own processes keep it.",
    "--json gives one object for each line: at, attempt, rank, stream, text.",
};

constexpr Example kLogsExamples[] = {
    {"lockstep logs --follow job_0001jm2k3c4d5e6f7g8h9j0kmn", "What it prints, as it comes"},
    {"lockstep logs --rank 3 job_0001jm2k3c4d5e6f7g8h9j0kmn", "Rank 3 alone"},
};

}  // namespace

constinit const Verb kLogsVerb{
    .name = "logs",
    .one_line = "show what a job of the service printed",
    .usage = "logs [flags] ID",
    .group = VerbGroup::kService,
    .description = kLogsDescription,
    .examples = kLogsExamples,
    .operands = {.name = "ID",
                 .min = 1,
                 .max = 1,
                 .help = "The name of a job, or its beginning",
                 .kind = ValueKind::kJob},
    .flags = kLogsFlags,
    .globals = {.json = true},
    .run = run_logs,
};

}  // namespace lockstep::cli
