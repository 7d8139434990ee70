#include "report/html/fold_spans.h"

#include <algorithm>

namespace lockstep::html {
namespace {

bool is_unfinished(const Span& span) {
  return span.state == model::EventState::kIssued || span.state == model::EventState::kStarted;
}

Span run_of(std::span<const Span> spans, std::span<const TimelineMeeting> meetings) {
  Span run{.kind = SpanKind::kRun, .begin_us = spans.front().begin_us, .end_us = spans.front().begin_us};
  std::int64_t covered_until = run.begin_us;  // calls may overlap; time counts once
  for (const Span& span : spans) {
    run.end_us = std::max(run.end_us, span.end_us);
    if (span.kind == SpanKind::kActivity) continue;
    ++run.number;
    const std::int64_t from = std::max(span.begin_us, covered_until);
    if (from >= span.end_us) continue;
    const std::int64_t wait_end = span.begin_us + waiting_in(span, meetings);
    const std::int64_t waited = std::max<std::int64_t>(0, wait_end - from);
    run.waiting_us += waited;
    run.transfer_us += span.end_us - from - waited;
    covered_until = span.end_us;
  }
  return run;
}

}  // namespace

std::int64_t waiting_in(const Span& span, std::span<const TimelineMeeting> meetings) {
  if (span.kind == SpanKind::kActivity) return 0;
  if (is_unfinished(span)) return span.end_us - span.begin_us;
  if (span.meeting == kNoMeeting) return 0;
  return std::clamp(meetings[span.meeting].all_came_us, span.begin_us, span.end_us) - span.begin_us;
}

std::uint64_t fold_old_spans(std::vector<Span>& spans, std::span<const TimelineMeeting> meetings,
                             std::uint64_t most) {
  most = std::max<std::uint64_t>(most, 2);
  if (spans.size() <= most) return 0;
  const std::uint64_t runs = most / 2;
  const std::size_t old = spans.size() - (most - runs);
  std::vector<Span> folded;
  folded.reserve(most);
  std::uint64_t calls = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::size_t first = old * i / runs;
    const std::size_t end = old * (i + 1) / runs;
    if (first == end) continue;
    folded.push_back(run_of(std::span(spans).subspan(first, end - first), meetings));
    calls += folded.back().number;
  }
  folded.insert(folded.end(), spans.begin() + static_cast<std::ptrdiff_t>(old), spans.end());
  spans = std::move(folded);
  return calls;
}

}  // namespace lockstep::html
