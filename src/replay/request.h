// What to replay: one rank of a recording, from where to where, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/collective.h"

namespace lockstep::replay {

// A place at which the replay stops: before a collective of a step.
struct Breakpoint {
  std::uint64_t step = 0;                                   // the first is 1
  model::Operation operation = model::Operation::kUnknown;  // unknown: any
  std::uint64_t sequence = 0;  // in its communicator; 0: the first one of the step

  bool operator==(const Breakpoint&) const = default;
};

// "12:all_reduce", "12:all_reduce#17", "12:17".
Result<Breakpoint> parse_breakpoint(std::string_view typed);

// In the recorder's syntax: "12:1:17".
std::string for_recorder(const Breakpoint& breakpoint);

// "all_reduce 17 of step 12"
std::string in_words(const Breakpoint& breakpoint);

struct Request {
  std::string recording;
  int rank = 0;
  std::optional<std::uint64_t> from_step;
  std::optional<std::uint64_t> to_step;
  std::optional<Breakpoint> break_at;
  std::string predicate;       // of --bisect
  std::string bisect_command;  // passed to a shell
  std::uint64_t image_every = 0;
  std::optional<std::filesystem::path> images;  // taken by an earlier replay
  int copies = 0;                               // of --fork; 0: one, in the foreground
  std::filesystem::path patch;                  // absolute
  bool has_changes = false;                     // on purpose: --what-if or --patch
  std::optional<std::string> out;
  std::vector<std::string> command;

  bool bisects() const { return !predicate.empty() || !bisect_command.empty(); }
};

// Whether the parts of the request go together, as far as can be told without the recording.
Result<void> check(const Request& request);

// The step whose image, or the nearest before it, is restored; none: the request does not name one.
std::optional<std::uint64_t> step_to_restore(const Request& request);

// How the recorder is told to stop; empty: not at all.
std::string recorder_breakpoint(const Request& request);

}  // namespace lockstep::replay
