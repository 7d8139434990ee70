#include "report/html/span_bytes.h"

namespace lockstep::html {
namespace {

class Bytes {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

struct Before {
  std::int64_t begin_us = 0;
  std::int64_t meeting = -1;
};

bool has_own_label(const Span& span, const Timeline& timeline) {
  return span.kind == SpanKind::kCollective && span.label != timeline.meetings[span.meeting].label;
}

void add_span(Bytes& bytes, const Span& span, const Timeline& timeline, Before& before) {
  bytes.number(static_cast<unsigned>(span.kind) | static_cast<unsigned>(span.state) << 2 |
               (span.site != kNoText ? 1U << 5 : 0U) | (has_own_label(span, timeline) ? 1U << 6 : 0U));
  bytes.signed_number(span.begin_us - before.begin_us);
  bytes.number(static_cast<std::uint64_t>(span.end_us - span.begin_us));
  before.begin_us = span.begin_us;
  switch (span.kind) {
    case SpanKind::kCollective:
      bytes.signed_number(static_cast<std::int64_t>(span.meeting) - before.meeting - 1);
      before.meeting = span.meeting;
      if (has_own_label(span, timeline)) bytes.number(span.label);
      break;
    case SpanKind::kCall:
      bytes.number(span.label);
      break;
    case SpanKind::kActivity:
      bytes.number(span.label);
      bytes.number(span.number);
      break;
    case SpanKind::kRun:
      bytes.number(span.number);
      bytes.number(static_cast<std::uint64_t>(span.waiting_us));
      bytes.number(static_cast<std::uint64_t>(span.transfer_us));
      break;
  }
  if (span.site != kNoText) bytes.number(span.site);
}

}  // namespace

std::string span_bytes(const Timeline& timeline) {
  Bytes bytes;
  for (const TimelineRank& rank : timeline.ranks) {
    bytes.number(rank.spans.size());
    Before before;
    for (const Span& span : rank.spans) add_span(bytes, span, timeline, before);
  }
  return std::move(bytes).take();
}

}  // namespace lockstep::html
