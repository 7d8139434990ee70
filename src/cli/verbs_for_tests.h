// A table of verbs that has one of everything a table can say. Their run functions only leave traces.
#pragma once

#include <string_view>

#include "cli/terminal.h"
#include "cli/verb.h"

namespace lockstep::cli {

inline constexpr std::string_view kFormatsForTests[] = {"text", "html"};

inline constexpr Flag kDumpFlagsForTests[] = {
    {.name = "out",
     .short_name = 'o',
     .value_name = "FILE",
     .help = "Write to FILE",
     .kind = ValueKind::kFile},
    {.name = "format",
     .value_name = "FORMAT",
     .help = "How the [record] looks",
     .choices = kFormatsForTests,
     .default_value = "text"},
    {.name = "field",
     .short_name = 'f',
     .value_name = "NAME",
     .help = "Show the field's value",
     .repeatable = true},
    {.name = "from-the-beginning-of",
     .value_name = "RECORDING",
     .help = "Begin where that recording begins, and "
             "go on until the end of this one or until the reader has seen enough",
     .kind = ValueKind::kFolder},
};
inline constexpr Flag kRunFlagsForTests[] = {
    {.name = "payload", .short_name = 'p', .help = "Record the data too"}};

inline constexpr std::string_view kDumpDescriptionForTests[] = {
    "Prints every record of FILE, one a line, with the time at which it was written and the rank that wrote "
    "it.",
    ".A paragraph that begins with a dot. It has two sentences and a back\\slash.",
};
inline constexpr Example kDumpExamplesForTests[] = {
    {"lockstep dump rank_3.lockstep", "What rank 3 wrote"},
    {"lockstep dump --json rank_3.lockstep | jq .", "The same for a program"},
};

inline Result<ExitStatus> dump_for_tests(const Args& args, Terminal& terminal) {
  if (args.operands.front() == "missing")
    return Error{"cannot open", "missing", "no such file", "look again"};
  TRY(terminal.write(terminal.color_on_out() ? "coloured\n" : "plain\n"));
  return ExitStatus::kFindings;
}
inline Result<ExitStatus> run_for_tests(const Args&, Terminal&) {
  return ExitStatus{42};
}

inline constexpr Verb kDumpForTests{
    .name = "dump",
    .one_line = "show a record file as text",
    .usage = "dump FILE... [flags]",
    .description = kDumpDescriptionForTests,
    .examples = kDumpExamplesForTests,
    .operands = {"FILE", 1, Operands::kAnyNumber, "A record file", ValueKind::kFile},
    .flags = kDumpFlagsForTests,
    .globals = {.json = true, .color = true, .verbose = true},
    .run = dump_for_tests,
};
inline constexpr Verb kRunForTests{
    .name = "run",
    .one_line = "record and watch a job",
    .usage = "run [flags] CMD...",
    .group = VerbGroup::kStart,
    .command = TakesCommand::kMust,
    .begins_command = [](std::string_view, std::size_t) { return true; },
    .flags = kRunFlagsForTests,
    .run = run_for_tests,
};
inline constexpr Verb kCheckForTests{
    .name = "check",
    .one_line = "look at the configuration before the start",
    .usage = "check [VERB] [-- CMD...]",
    .operands = {"VERB", 0, 1, "The verb to check", ValueKind::kVerb},
    .command = TakesCommand::kMay,
    .run = run_for_tests,
};

inline constexpr const Verb* kVerbsForTests[] = {&kDumpForTests, &kRunForTests, &kCheckForTests};

}  // namespace lockstep::cli
