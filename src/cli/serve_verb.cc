#include <fmt/format.h>

#include "base/text_fields.h"
#include "cli/program.h"
#include "cli/service_client.h"
#include "cli/verbs.h"
#include "service/serve.h"

namespace lockstep::cli {
namespace {

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  const std::string rest = args.value("rest-after").value_or("0");
  const auto seconds = base::number_in<int>(rest);
  if (!seconds || *seconds < 0) {
    return Error{"wrong value for '--rest-after'", rest, "not a number of seconds", "as 60; 0 never rests"};
  }
  service::ServeOptions options;
  options.state_folder = state_folder(args);
  options.rest_after = std::chrono::seconds(*seconds);
  options.on_ready = [&](const std::filesystem::path& socket) {
    terminal.tell(fmt::format("lockstep: serving at {}\n", socket.string()));
  };
  options.on_trouble = [&](const Error& error) { terminal.tell(message_of(error)); };
  TRY(service::serve(options));
  return ExitStatus::kNothingFound;
}

constexpr Flag kFlags[] = {
    kStateFlag,
    {.name = "rest-after",
     .value_name = "SECONDS",
     .help = "End after so long without jobs and clients; 0: stay",
     .default_value = "0"},
};

constexpr std::string_view kDescription[] = {
    "Takes training jobs and runs them on this machine: picks the configuration, starts the ranks when "
    "cores, memory "
    "and GPUs are free, records and watches them as 'lockstep run' does, and explains a failure. Jobs, "
    "attempts and "
    "logs stay in its folder.",
    "There is no need to start it: 'lockstep submit' does when none is there, and such a service ends by "
    "itself after a "
    "minute without work. Its API is HTTP with JSON over the Unix socket service.sock in its folder, for "
    "this user "
    "alone; GET /openapi.json describes it.",
    "It may be killed at any moment. The jobs run on; the next service finds them again, loses nothing of "
    "what they "
    "print and starts none twice.",
};

constexpr Example kExamples[] = {
    {"lockstep serve", "Serve until it is told to end"},
    {"curl --unix-socket ~/.local/state/lockstep/service.sock http://s/livez", "Whether it is there"},
};

}  // namespace

constinit const Verb kServeVerb{
    .name = "serve",
    .one_line = "take training jobs and run them",
    .usage = "serve [flags]",
    .description = kDescription,
    .examples = kExamples,
    .flags = kFlags,
    .run = run,
};

}  // namespace lockstep::cli
