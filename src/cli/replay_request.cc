#include "cli/replay_request.h"

#include "base/text_fields.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Result<int> rank_from(const Args& args) {
  const auto typed = args.value("rank");
  if (!typed)
    return Error{"which rank?", "", "'--rank' is not given", "as in 'lockstep replay RECORDING --rank 3'"};
  const auto rank = base::number_in<std::int32_t>(*typed);
  if (!rank || *rank < 0)
    return Error{"wrong value for '--rank'", *typed, "not a rank", "a whole number from 0"};
  return *rank;
}

Result<std::optional<std::uint64_t>> number_of(const Args& args, const std::string& flag, std::uint64_t least,
                                               const std::string& what, const std::string& hint) {
  const auto typed = args.value(flag);
  if (!typed) return std::optional<std::uint64_t>();
  const auto number = base::number_in<std::uint32_t>(*typed);
  if (number && *number >= least) return std::optional<std::uint64_t>(*number);
  return Error{"wrong value for '--" + flag + "'", *typed, "not " + what, hint};
}

Result<fs::path> patch_from(const Args& args) {
  const auto typed = args.value("patch");
  if (!typed) return fs::path();
  std::error_code fault;
  const fs::path patch = fs::canonical(*typed, fault);
  if (fault) return Error{"cannot read the patch", *typed, fault.message(), "a file with Python in it"};
  return patch;
}

Error contradiction(const std::string& what, const std::string& why, const std::string& hint) {
  return Error{"cannot replay so", what, why, hint};
}

Result<void> check(const ReplayRequest& request) {
  if (request.image_every != 0 && !request.out) {
    return contradiction("--checkpoint-every", "nobody says where images are kept", "give '-o DIR'");
  }
  if (request.image_every != 0 && request.images) {
    return contradiction("--checkpoint-every", "a restored process is not frozen again",
                         "leave '--images' away");
  }
  if (!request.images && (request.copies != 0 || !request.patch.empty())) {
    return contradiction(request.copies != 0 ? "--fork" : "--patch", "that needs an image to begin with",
                         "take some with '--checkpoint-every 10 -o DIR', then give '--images DIR'");
  }
  if (request.copies != 0 && !request.out) {
    return contradiction("--fork", "nobody says where the copies' output goes", "give '-o DIR'");
  }
  if (request.images && !request.command.empty()) {
    return contradiction(request.command.front(), "a restored process runs what it ran",
                         "give '--patch FILE' to change it, or leave '--images' away");
  }
  if (!request.predicate.empty() && !request.bisect_command.empty()) {
    return contradiction("--bisect", "'--bisect-command' asks too", "give one of them");
  }
  if (request.bisects() && (request.copies != 0 || request.break_at)) {
    return contradiction("--bisect", "it goes neither with '--fork' nor with '--break-at'", "");
  }
  const bool keeps_nothing = request.images || (!request.bisect_command.empty() && request.image_every == 0);
  if (request.bisects() && keeps_nothing && request.out) {
    return contradiction("-o", "nothing is kept of partial replays", "leave it away");
  }
  if (request.images && !request.bisects() && !step_to_restore(request)) {
    return contradiction("--images", "nobody says which step to go to",
                         "give '--from-step STEP', '--to-step STEP' or '--break-at STEP:COLLECTIVE'");
  }
  return {};
}

}  // namespace

Result<ReplayRequest> replay_request_from(const Args& args) {
  ReplayRequest request;
  request.rank = TRY(rank_from(args));
  request.from_step =
      TRY(number_of(args, "from-step", 0, "a step",
                    "the number of steps that had ended: at an image, or at the checkpoint from which the "
                    "script resumes"));
  request.to_step =
      TRY(number_of(args, "to-step", 1, "a step", "the number of the step after which the replay stops"));
  if (const auto typed = args.value("images")) request.images = *typed;
  const std::uint64_t least = request.from_step.value_or(0) + (request.images ? 0 : 1);
  if (request.to_step && *request.to_step < least) {
    return Error{"wrong value for '--to-step'", std::to_string(*request.to_step),
                 "the replay begins after step " + std::to_string(request.from_step.value_or(0)),
                 "a later step"};
  }
  if (const auto typed = args.value("break-at")) request.break_at = TRY(replay::parse_breakpoint(*typed));
  request.predicate = args.value("bisect").value_or("");
  request.bisect_command = args.value("bisect-command").value_or("");
  request.image_every =
      TRY(number_of(args, "checkpoint-every", 1, "a number of steps", "as in '--checkpoint-every 10'"))
          .value_or(0);
  request.copies =
      static_cast<int>(TRY(number_of(args, "fork", 1, "a number of copies", "as in '--fork 4'")).value_or(0));
  request.patch = TRY(patch_from(args));
  request.has_changes = args.has("what-if") || !request.patch.empty();
  request.out = args.value("out");
  request.command = args.command;
  TRY(check(request));
  return request;
}

std::optional<std::uint64_t> step_to_restore(const ReplayRequest& request) {
  if (request.from_step) return request.from_step;
  if (request.break_at) return request.break_at->step - 1;
  return request.to_step;
}

}  // namespace lockstep::cli
