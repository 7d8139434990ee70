#include "replay/breakpoint.h"

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::replay {
namespace {

Error wrong(std::string_view typed, std::string why) {
  return Error{"wrong value for '--break-at'", std::string(typed), std::move(why),
               "as in '12:all_reduce', '12:all_reduce#17' or '12:17': a step, a collective, its number"};
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

}  // namespace lockstep::replay
