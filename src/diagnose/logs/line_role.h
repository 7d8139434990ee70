// What a line of a log is, told by its structure before any word of it counts: the same words are a fault
// where an exception says them, and nothing where a configuration, a listing or a quoted source line does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::logs {

enum class LineRole : std::uint8_t {
  kOther,
  kException,     // "ValueError: ..." that ends a traceback, or stands alone
  kFrame,         // 'File "train.py", line 3, in main', and the head of a traceback
  kQuotedSource,  // the source line under a frame, and its carets
  kRaisedFrom,    // "During handling of the above exception, ..."
  kLogError,      // a record of a logger, by its level
  kLogWarning,    // also Python's warnings and "NCCL WARN"
  kLogInfo,
  kLauncher,       // the summary of a launcher or a scheduler
  kProgress,       // a step, an epoch, a bar that moves
  kSetting,        // one of several lines that print a configuration or an environment
  kSourceListing,  // one of several lines of a program's text outside a traceback
  kHelp,           // usage, options, tips
  kLibraryInfo,    // NCCL, UCX or MPI at level INFO; Python telling what it imports
  kKernel,         // dmesg
  kTearDown,       // what a process prints while it ends
  kTable,
  kBanner,
  kEndedWell  // a launcher, a library or the job itself says that it came to its end
};

inline constexpr int kLineRoles = static_cast<int>(LineRole::kEndedWell) + 1;

std::string_view word_for(LineRole role);

// A line whose words tell what happened to the job, rather than what it is, could be or was told to do.
bool tells_of_events(LineRole role);

// A launcher, a library or the job itself says that it came to its end, and nothing that takes it back.
bool says_it_ended_well(std::string_view text);
// A step, an epoch, a bar that moves.
bool is_progress(std::string_view text);

// Of lines that follow each other in one log, without terminal codes. Lines of several ranks may be mixed.
std::vector<LineRole> roles_of(std::span<const std::string_view> lines);

}  // namespace lockstep::logs
