// The words about the program as a whole that help, man page and completions share.
#pragma once

#include <string_view>

#include "cli/verb.h"

namespace lockstep::cli {

inline constexpr std::string_view kProgramOneLine = "find out why a distributed training job failed";

inline constexpr Flag kProgramFlags[] = {
    {.name = "help", .short_name = 'h', .help = "Show this help"},
    {.name = "version", .help = "Show the version"},
};

inline constexpr std::string_view kCommandHelp = "The job's command line, as it is typed without Lockstep";

std::string_view version();  // "0.1.0"

}  // namespace lockstep::cli
