#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "check/probe/agent.h"
#include "cli/program.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "hostinfo/collect/collect.h"
#include "hostinfo/facts_json.h"
#include "hostinfo/remote.h"

namespace lockstep::cli {
namespace {

std::string facts_here(const probe::AskFacts& asked) {
  return hostinfo::encode_facts(hostinfo::collect(
      {.names = asked.names, .python = asked.python, .program = fmt::format("lockstep {}", version())}));
}

Result<std::string> token_of_environment() {
  const char* const token = std::getenv("LOCKSTEP_TOKEN");
  if (token != nullptr && *token != '\0') return std::string(token);
  return Error{"there is no token", "LOCKSTEP_TOKEN", "",
               "'lockstep check --probe --via hand' prints the whole command"};
}

Result<ExitStatus> run_probe_agent(const Args& args, Terminal& /*terminal*/) {
  if (args.has("remove-itself")) hostinfo::remove_own_copy();
  probe::AgentOptions options;
  options.version = version();
  options.collect_facts = facts_here;
  if (args.operands.empty()) {
    options.token = TRY(probe::read_token(STDIN_FILENO));
    options.in = process::Descriptor(::dup(STDIN_FILENO));
    options.out = process::Descriptor(::dup(STDOUT_FILENO));
  } else {
    options.token = TRY(token_of_environment());
    options.in = TRY(probe::connect_to(args.operands.front()));
    options.out = process::Descriptor(::dup(options.in.get()));
  }
  TRY(probe::serve_as_agent(std::move(options)));
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kProbeAgentDescription[] = {
    "The part of 'lockstep check --probe' that runs on each host: it listens and connects as it is told, and "
    "says what came of it. The check starts it through ssh, srun, mpirun or kubectl and speaks to it through "
    "its "
    "input and output; with --via hand it prints the command with which you start it on each host yourself.",
    "Every connection is proved with a token that is made for one check; other bytes are refused. It ends "
    "with "
    "the check, on Ctrl-C, or after half an hour, and leaves nothing behind.",
};

constexpr Example kProbeAgentExamples[] = {
    {"LOCKSTEP_TOKEN=... lockstep probe-agent node0:40123", "As the check prints it"},
};

constexpr Flag kProbeAgentFlags[] = {
    kRemoveItselfFlag,
};

}  // namespace

constinit const Verb kProbeAgentVerb{
    .name = "probe-agent",
    .one_line = "what 'check --probe' runs on each host",
    .usage = "probe-agent [HOST:PORT] [flags]",
    .description = kProbeAgentDescription,
    .examples = kProbeAgentExamples,
    .operands = {.name = "HOST:PORT",
                 .min = 0,
                 .max = 1,
                 .help = "Where the check waits; without it, this program's input and output"},
    .flags = kProbeAgentFlags,
    .run = run_probe_agent,
};

}  // namespace lockstep::cli
