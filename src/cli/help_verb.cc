#include <fmt/format.h>

#include "cli/help.h"
#include "cli/parse.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

Result<ExitStatus> run_help(const Args& args, Terminal& terminal) {
  if (args.operands.empty()) {
    TRY(terminal.write(program_help(all_verbs())));
    return ExitStatus::kNothingFound;
  }
  const std::string& name = args.operands.front();
  const Verb* verb = find_verb(all_verbs(), name);
  if (verb == nullptr) return unknown_verb(name, all_verbs());
  TRY(terminal.write(verb_help(*verb)));
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kHelpDescription[] = {
    "Without VERB, lists the verbs. With VERB, shows what it does, its arguments, its flags and examples; "
    "the same as lockstep VERB --help.",
};

constexpr Example kHelpExamples[] = {
    {"lockstep help", "The list of verbs"},
    {"lockstep help help", "This text"},
};

Result<ExitStatus> run_version(const Args&, Terminal& terminal) {
  TRY(terminal.write(fmt::format("lockstep {}\n", version())));
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kVersionDescription[] = {"The same as lockstep --version."};

constexpr Example kVersionExamples[] = {{"lockstep version", "For a bug report"}};

}  // namespace

constinit const Verb kVersionVerb{
    .name = "version",
    .one_line = "show the version",
    .usage = "version",
    .description = kVersionDescription,
    .examples = kVersionExamples,
    .run = run_version,
};

constinit const Verb kHelpVerb{
    .name = "help",
    .one_line = "show help for lockstep or for one verb",
    .usage = "help [VERB]",
    .description = kHelpDescription,
    .examples = kHelpExamples,
    .operands = {.name = "VERB", .min = 0, .max = 1, .help = "The verb to explain", .kind = ValueKind::kVerb},
    .run = run_help,
};

}  // namespace lockstep::cli
