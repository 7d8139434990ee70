#include "replay/request.h"

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::replay {
namespace {

Error wrong(std::string_view typed, std::string why) {
  return Error{"wrong value for '--break-at'", std::string(typed), std::move(why),
               "as in '12:all_reduce', '12:all_reduce#17' or '12:17': a step, a collective, its number"};
}

Error contradiction(const std::string& what, const std::string& why, const std::string& hint) {
  return Error{"cannot replay so", what, why, hint};
}

}  // namespace

Result<Breakpoint> parse_breakpoint(std::string_view typed) {
  const std::size_t colon = typed.find(':');
  if (colon == std::string_view::npos) return wrong(typed, "it names no collective");
  Breakpoint breakpoint;
  const auto step = base::number_in<std::uint32_t>(typed.substr(0, colon));
  if (!step || *step == 0) return wrong(typed, "not a step");
  breakpoint.step = *step;
  std::string_view call = typed.substr(colon + 1);
  const std::size_t sign = call.find('#');
  const std::string_view number = sign == std::string_view::npos ? call : call.substr(sign + 1);
  const auto sequence = base::number_in<std::uint64_t>(number);
  if (sequence) breakpoint.sequence = *sequence;
  if (sequence && sign == std::string_view::npos) return breakpoint;
  if (!sequence && sign != std::string_view::npos) return wrong(typed, "not a number behind '#'");
  const auto operation = model::operation_named(call.substr(0, sign));
  if (!operation || *operation == model::Operation::kUnknown) return wrong(typed, "no such collective");
  breakpoint.operation = *operation;
  return breakpoint;
}

std::string for_recorder(const Breakpoint& breakpoint) {
  return fmt::format("{}:{}:{}", breakpoint.step, static_cast<unsigned>(breakpoint.operation),
                     breakpoint.sequence);
}

std::string in_words(const Breakpoint& breakpoint) {
  const bool is_any = breakpoint.operation == model::Operation::kUnknown;
  const std::string_view name = is_any ? "collective" : model::name_of(breakpoint.operation);
  return breakpoint.sequence == 0
             ? fmt::format("the first {} of step {}", name, breakpoint.step)
             : fmt::format("{} {} of step {}", name, breakpoint.sequence, breakpoint.step);
}

Result<void> check(const Request& request) {
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

std::optional<std::uint64_t> step_to_restore(const Request& request) {
  if (request.from_step) return request.from_step;
  if (request.break_at) return request.break_at->step - 1;
  return request.to_step;
}

std::string recorder_breakpoint(const Request& request) {
  return request.break_at ? for_recorder(*request.break_at) : "";
}

}  // namespace lockstep::replay
