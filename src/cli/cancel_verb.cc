#include <fmt/format.h>

#include "base/json.h"
#include "cli/service_client.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

Result<ExitStatus> run_cancel(const Args& args, Terminal& terminal) {
  const service::Client client = TRY(reach_service(args));
  for (const std::string& typed : args.operands) {
    const std::string id = TRY(job_id_from(client, typed));
    const base::Json job = TRY(json_of(client.send("POST", fmt::format("/v1/jobs/{}/cancel", id))));
    const std::string state = base::text_at(job, "state");
    terminal.tell(fmt::format("lockstep: {}: {}\n", id, state == "RUNNING" ? "told to end" : state));
  }
  return ExitStatus::kNothingFound;
}

constexpr Flag kCancelFlags[] = {kStateFlag, kServiceFlag, kTokenFileFlag, kTlsCaFlag};

constexpr std::string_view kCancelDescription[] = {
    "Ends jobs of the service: those that wait at once, those that run by SIGTERM to every rank and by "
    "SIGKILL eight "
    "seconds later. A job that is over stays as it is.",
    "Exit status: 0; 2 when there is no such job.",
};

constexpr Example kCancelExamples[] = {
    {"lockstep cancel job_0001jm2k3c4d5e6f7g8h9j0kmn", "End this one"},
};

}  // namespace

constinit const Verb kCancelVerb{
    .name = "cancel",
    .one_line = "end a job of the service",
    .usage = "cancel [flags] ID...",
    .group = VerbGroup::kService,
    .description = kCancelDescription,
    .examples = kCancelExamples,
    .operands = {.name = "ID",
                 .min = 1,
                 .max = Operands::kAnyNumber,
                 .help = "The name of a job, or its beginning",
                 .kind = ValueKind::kJob},
    .flags = kCancelFlags,
    .run = run_cancel,
};

}  // namespace lockstep::cli
