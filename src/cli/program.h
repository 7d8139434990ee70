// The program from its words to its exit status. The one place that prints an Error.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "cli/verb.h"

namespace lockstep::cli {

// The words about the program as a whole that help, man page and completions share.
inline constexpr std::string_view kProgramOneLine = "find out why a distributed training job failed";

inline constexpr Flag kProgramFlags[] = {
    {.name = "help", .short_name = 'h', .help = "Show this help"},
    {.name = "version", .short_name = 'V', .help = "Show the version"},
};

inline constexpr std::string_view kCommandHelp = "The job's command line, as it is typed without Lockstep";

std::string_view version();  // "0.1.0"

// `words` are those after the program's name. Returns the exit status of the process. SIGPIPE must be
// ignored: a reader that has gone is then seen as a failed write, and is no error.
int run_program(std::span<const std::string> words, VerbTable verbs, Terminal& terminal);

// "lockstep: what: where: why", then the hint, indented; safe to show whatever the fields contain.
std::string message_of(const Error& error);

}  // namespace lockstep::cli
