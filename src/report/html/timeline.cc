#include "report/html/timeline.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/timing/clocks.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "readers/event_budget.h"

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
                             std::uint64_t max_spans) {
  max_spans = std::max<std::uint64_t>(max_spans, 2);
  if (spans.size() <= max_spans) return 0;
  const std::uint64_t runs = max_spans / 2;
  const std::size_t old = spans.size() - (max_spans - runs);
  std::vector<Span> folded;
  folded.reserve(max_spans);
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

namespace {

using model::Event;
using model::Job;

// Texts in the order in which they were first needed.
class Texts {
 public:
  std::uint32_t id_of(const std::string& text) {
    const auto [place, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  std::vector<std::string> take() && { return std::move(texts_); }

 private:
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

// An event's times on the clock of the whole job.
struct Times {
  std::int64_t begin_ns = 0;
  std::optional<std::int64_t> end_ns;
};

class CommonClock {
 public:
  CommonClock(const Job& job, const ranks::Alignment& alignment)
      : clocks_(ranks::estimate_clocks(job, alignment)) {}

  std::int64_t end_of(std::uint32_t rank, std::int64_t ended_ns) const { return at(rank, ended_ns); }

  // A clock that no collective joins to the others is taken as it is.
  std::optional<Times> of(std::uint32_t rank, const Event& event) const {
    if (event.only_duration || !ranks::is_time(event.begin_ns)) return std::nullopt;
    Times times{.begin_ns = at(rank, event.begin_ns), .end_ns = std::nullopt};
    if (ranks::has_duration(event)) times.end_ns = times.begin_ns + ranks::duration_of(event);
    return times;
  }

  bool is_alone(std::uint32_t rank) const { return !clock(rank).ahead_ns.has_value(); }
  std::int64_t ahead_ns(std::uint32_t rank) const { return clock(rank).ahead_ns.value_or(0); }

 private:
  const ranks::Clock& clock(std::uint32_t rank) const { return clocks_.clocks[clocks_.clock_of_rank[rank]]; }
  std::int64_t at(std::uint32_t rank, std::int64_t time_ns) const {
    return clocks_.to_reference(rank, time_ns).value_or(time_ns);
  }
  ranks::Clocks clocks_;
};

std::string signal_in_words(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("killed by signal {}", number) : fmt::format("killed by SIG{}", name);
}

// As launchers end the other ranks once one has failed.
bool was_asked_to_end(const model::Rank& rank) {
  return rank.exit_status == SIGTERM || rank.exit_status == SIGINT;
}

// Nothing: it runs, or nobody knows.
std::optional<RankStop> stop_in_words(const model::Rank& rank) {
  switch (rank.end) {
    case model::RankEnd::kClean:
      return RankStop{.words = "ended"};
    case model::RankEnd::kExited:
      return RankStop{.words = rank.exit_status ? fmt::format("exited {}", *rank.exit_status) : "exited",
                      .was_bad = true};
    case model::RankEnd::kSignalled:
      return RankStop{.words = rank.exit_status ? signal_in_words(*rank.exit_status) : "killed",
                      .was_bad = !was_asked_to_end(rank)};
    case model::RankEnd::kUnknown:
      break;
  }
  if (rank.liveness == model::Liveness::kDead) return RankStop{.words = "gone", .was_bad = true};
  return std::nullopt;
}

struct Extent {
  std::int64_t begin_ns = model::kNoTime;
  std::int64_t end_ns = model::kNoTime;

  void include(std::int64_t time_ns) {
    if (begin_ns == model::kNoTime || time_ns < begin_ns) begin_ns = time_ns;
    if (end_ns == model::kNoTime || time_ns > end_ns) end_ns = time_ns;
  }
};

Extent extent_of(const Job& job, const CommonClock& clock) {
  Extent extent;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    for (const Event& event : job.ranks[rank].events) {
      const auto times = clock.of(rank, event);
      if (!times) continue;
      extent.include(times->begin_ns);
      extent.include(times->end_ns.value_or(times->begin_ns));
    }
    if (const auto ended = job.ranks[rank].rank.ended_ns;
        ended && ranks::is_time(*ended) && extent.begin_ns != model::kNoTime) {
      extent.include(std::max(clock.end_of(rank, *ended), extent.begin_ns));
    }
    for (const model::StackSnapshot& snapshot : job.ranks[rank].snapshots) {
      if (ranks::is_time(snapshot.time_ns) && extent.begin_ns != model::kNoTime &&
          snapshot.time_ns >= extent.begin_ns) {
        extent.include(snapshot.time_ns);
      }
    }
  }
  return extent;
}

class Builder {
 public:
  explicit Builder(const Job& job) : job_(job), alignment_(ranks::align(job)), clock_(job, alignment_) {}

  Timeline build(std::uint64_t max_spans) {
    const Extent extent = extent_of(job_, clock_);
    if (extent.begin_ns == model::kNoTime) return {};
    timeline_.begin_ns = extent.begin_ns;
    // What hangs at the very end is still to be seen.
    timeline_.seen_us = (extent.end_ns - extent.begin_ns) / 1000 + 1;
    timeline_.length_us = timeline_.seen_us + timeline_.seen_us / 8 + 1;
    add_groups();
    add_meetings();
    const std::uint64_t spans_each = spans_per_rank(max_spans);
    for (std::uint32_t rank = 0; rank < job_.ranks.size(); ++rank) add_rank(rank, spans_each);
    forget_unused_meetings();
    timeline_.labels = std::move(labels_).take();
    timeline_.sites = std::move(sites_).take();
    return std::move(timeline_);
  }

 private:
  std::int64_t to_us(std::int64_t time_ns) const { return (time_ns - timeline_.begin_ns) / 1000; }

  void add_groups() {
    for (const model::Communicator& one : job_.communicators.values()) {
      const bool has_description = !one.description.empty() && one.description != "undefined";
      timeline_.groups.push_back({has_description ? one.description : one.name, one.members});
    }
  }

  std::uint32_t label_of(const Event& event) {
    if (event.kind == model::EventKind::kActivity) {
      return labels_.id_of(std::string(model::name_of(event.activity)));
    }
    if (event.collective == model::CollectiveId::kNone) return labels_.id_of("call");
    const auto [place, is_new] = label_of_collective_.try_emplace(event.collective, 0);
    if (is_new) place->second = labels_.id_of(ranks::describe(job_, ranks::signature_of(job_, event)));
    return place->second;
  }

  std::uint32_t site_of(const Event& event) {
    if (event.stack == model::StackId::kNone) return kNoText;
    const auto [place, is_new] = site_of_stack_.try_emplace(event.stack, 0);
    if (is_new) place->second = sites_.id_of(ranks::describe(job_.stacks[event.stack]));
    return place->second;
  }

  void add_meetings() {
    first_event_of_rank_.resize(job_.ranks.size() + 1, 0);
    for (std::size_t rank = 0; rank < job_.ranks.size(); ++rank) {
      first_event_of_rank_[rank + 1] = first_event_of_rank_[rank] + job_.ranks[rank].events.size();
    }
    meeting_of_event_.assign(first_event_of_rank_.back(), kNoMeeting);
    for (const ranks::Meeting& meeting : alignment_.meetings()) {
      const auto id = static_cast<std::uint32_t>(timeline_.meetings.size());
      for (const ranks::EventPlace& place : meeting.arrivals) {
        meeting_of_event_[first_event_of_rank_[place.rank] + place.event] = id;
      }
      timeline_.meetings.push_back({.communicator = static_cast<std::uint32_t>(meeting.communicator),
                                    .sequence = meeting.sequence,
                                    .label = usual_label(meeting),
                                    .all_came_us = all_came(meeting)});
    }
  }

  std::uint32_t usual_label(const ranks::Meeting& meeting) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const ranks::EventPlace& place : meeting.arrivals) ++counts[label_of(ranks::event_at(job_, place))];
    const auto most = std::ranges::max_element(
        counts, [](const auto& left, const auto& right) { return left.second < right.second; });
    return most == counts.end() ? kNoText : most->first;
  }

  std::int64_t all_came(const ranks::Meeting& meeting) const {
    std::int64_t last_us = 0;
    bool is_over = false;
    for (const ranks::EventPlace& place : meeting.arrivals) {
      const Event& event = ranks::event_at(job_, place);
      is_over = is_over || event.state == model::EventState::kCompleted;
      if (event.collective == model::CollectiveId::kNone ||
          !ranks::is_synchronising(job_.collectives[event.collective].operation)) {
        return 0;
      }
      const auto times = clock_.of(place.rank, event);
      if (times) last_us = std::max(last_us, to_us(times->begin_ns));
    }
    // Nobody leaves before all have come, so what one finished everybody came to, seen or not.
    const std::vector<int>& members =
        timeline_.groups[static_cast<std::size_t>(meeting.communicator)].members;
    return is_over || meeting.arrivals.size() >= members.size() ? last_us : kNever;
  }

  void add_rank(std::uint32_t index, std::uint64_t max_spans) {
    const model::RankHistory& history = job_.ranks[index];
    TimelineRank rank;
    rank.rank = history.rank.number;
    rank.clock_ahead_ns = clock_.ahead_ns(index);
    if (clock_.is_alone(index) && job_.ranks.size() > 1) ++timeline_.ranks_with_own_clock;
    rank.stop = stop_of(index);
    for (std::size_t i = 0; i < history.events.size(); ++i) {
      const Event& event = history.events[i];
      const auto times = clock_.of(index, event);
      if (!times) continue;
      Span span = span_of(event, *times, meeting_of_event_[first_event_of_rank_[index] + i]);
      if (rank.stop) span.end_us = std::min(span.end_us, std::max(span.begin_us, rank.stop->at_us));
      rank.spans.push_back(span);
    }
    std::ranges::stable_sort(rank.spans, {}, &Span::begin_us);
    rank.calls_folded = fold_old_spans(rank.spans, timeline_.meetings, max_spans);
    timeline_.ranks.push_back(std::move(rank));
  }

  // Where the end has no time of its own, the rank was last seen at its last event.
  std::optional<RankStop> stop_of(std::uint32_t index) const {
    const model::RankHistory& history = job_.ranks[index];
    auto stop = stop_in_words(history.rank);
    if (!stop) return std::nullopt;
    for (const Event& event : history.events) {
      const auto times = clock_.of(index, event);
      if (times) stop->at_us = std::max(stop->at_us, to_us(times->end_ns.value_or(times->begin_ns)) + 1);
    }
    if (const auto ended = history.rank.ended_ns; ended && ranks::is_time(*ended))
      stop->at_us = std::max(stop->at_us, to_us(clock_.end_of(index, *ended)));
    return stop;
  }

  Span span_of(const Event& event, const Times& times, std::uint32_t meeting) {
    Span span{.state = event.state, .begin_us = to_us(times.begin_ns), .meeting = meeting};
    span.kind = event.kind == model::EventKind::kActivity ? SpanKind::kActivity
                : meeting == kNoMeeting                   ? SpanKind::kCall
                                                          : SpanKind::kCollective;
    if (times.end_ns) {
      span.end_us = to_us(*times.end_ns);
    } else {
      span.end_us = model::is_unfinished(event) ? timeline_.length_us : span.begin_us;
    }
    span.label = label_of(event);
    span.site = site_of(event);
    if (span.kind == SpanKind::kActivity && event.sequence != model::kNoSequence)
      span.number = event.sequence;
    return span;
  }

  std::uint64_t spans_per_rank(std::uint64_t max_spans) const {
    std::vector<std::uint64_t> counts;
    for (const model::RankHistory& history : job_.ranks) counts.push_back(history.events.size());
    return readers::events_per_rank({.most_events = max_spans}, std::move(counts));
  }

  void forget_unused_meetings() {
    constexpr std::uint32_t kUnused = kNoMeeting;
    std::vector<std::uint32_t> new_id(timeline_.meetings.size(), kUnused);
    for_each_meeting_of_a_span([&](std::uint32_t& meeting) { new_id[meeting] = 0; });
    std::vector<TimelineMeeting> used;
    for (std::size_t i = 0; i < new_id.size(); ++i) {
      if (new_id[i] == kUnused) continue;
      new_id[i] = static_cast<std::uint32_t>(used.size());
      used.push_back(timeline_.meetings[i]);
    }
    for_each_meeting_of_a_span([&](std::uint32_t& meeting) { meeting = new_id[meeting]; });
    timeline_.meetings = std::move(used);
  }

  template <typename Visit>
  void for_each_meeting_of_a_span(Visit visit) {
    for (TimelineRank& rank : timeline_.ranks) {
      for (Span& span : rank.spans) {
        if (span.meeting != kNoMeeting) visit(span.meeting);
      }
    }
  }

  const Job& job_;
  ranks::Alignment alignment_;
  CommonClock clock_;
  Timeline timeline_;
  Texts labels_;
  Texts sites_;
  std::map<model::CollectiveId, std::uint32_t> label_of_collective_;
  std::map<model::StackId, std::uint32_t> site_of_stack_;
  std::vector<std::size_t> first_event_of_rank_;
  std::vector<std::uint32_t> meeting_of_event_;
};

}  // namespace

Timeline timeline_of(const Job& job, std::uint64_t max_spans) {
  return Builder(job).build(max_spans);
}

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
