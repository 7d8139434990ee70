#include "diagnose/ranks/step_span.h"

namespace lockstep::ranks {

std::optional<StepSpan> step_span_of(const model::RankHistory& history) {
  std::optional<StepSpan> span;
  for (std::size_t at = 0; at < history.events.size(); ++at) {
    const model::Event& event = history.events[at];
    if (event.kind != model::EventKind::kActivity || event.activity != model::Activity::kStep) continue;
    if (!span) span = StepSpan{.first = at, .last = at, .count = 0};
    span->last = at;
    ++span->count;
  }
  return span;
}

}  // namespace lockstep::ranks
