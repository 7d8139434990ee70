// What 'lockstep replay' was asked for, checked as far as it can be without looking at the recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/args.h"
#include "replay/breakpoint.h"

namespace lockstep::cli {

struct ReplayRequest {
  int rank = 0;
  std::optional<std::uint64_t> from_step;
  std::optional<std::uint64_t> to_step;
  std::optional<replay::Breakpoint> break_at;
  std::string predicate;       // of --bisect
  std::string bisect_command;  // given to a shell
  std::uint64_t image_every = 0;
  std::optional<std::filesystem::path> images;  // taken before
  int copies = 0;                               // of --fork; 0: one, in the foreground
  std::filesystem::path patch;                  // absolute
  bool has_changes = false;                     // on purpose: --what-if or --patch
  std::optional<std::string> out;
  std::vector<std::string> command;

  bool bisects() const { return !predicate.empty() || !bisect_command.empty(); }
};

Result<ReplayRequest> replay_request_from(const Args& args);

// Up to which step images are looked for; none: the request does not say where to go.
std::optional<std::uint64_t> step_to_restore(const ReplayRequest& request);

}  // namespace lockstep::cli
