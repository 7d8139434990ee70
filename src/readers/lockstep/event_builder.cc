#include "readers/lockstep/event_builder.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "model/collective.h"
#include "readers/lockstep/recording.h"

namespace lockstep::readers {
namespace {

using model::Event;
using model::EventKind;
using model::EventState;

std::int64_t time_of(const Event& event) {
  return event.begin_ns != model::kNoTime ? event.begin_ns : event.end_ns;
}

bool is_earlier(const Event& a, const Event& b) {
  return time_of(a) < time_of(b);
}

std::string text_of(const char* field, std::size_t size) {
  return {field, ::strnlen(field, size)};
}

std::int64_t moved(std::int64_t time_ns, std::uint64_t by) {
  return time_ns == model::kNoTime ? time_ns
                                   : static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) + by);
}

}  // namespace

EventBuilder::EventBuilder(const lockstep_file_header& header, const record::Definitions& definitions,
                           model::Job& job)
    : definitions_(definitions), job_(job), ids_(definitions, job), calls_(history_.events, job) {
  model::Rank& rank = history_.rank;
  if (header.rank >= 0) rank.number = header.rank;
  if (header.local_rank >= 0) rank.local_rank = header.local_rank;
  rank.pid = static_cast<std::int64_t>(header.pid);
  rank.begun_ns = static_cast<std::int64_t>(header.wall_ns);
  rank.restart = static_cast<int>(std::min<std::uint32_t>(header.restart, 1 << 30));
  rank.recorder_version = text_of(header.writer, sizeof header.writer);
  if (std::string host = text_of(header.host, sizeof header.host); !host.empty()) {
    job.hosts.push_back({.name = std::move(host), .clock_ahead_ns = std::nullopt});
    rank.host = 0;
  }
  if (header.world_size >= 0) {
    job.world_size = header.world_size;
    rank.world_size = header.world_size;
  }
  history_.sources = {static_cast<model::SourceId>(0)};
  clocks_.emplace_back(header.monotonic_ns, header.wall_ns);
}

void EventBuilder::take(const record::RecordView& record, std::uint32_t position) {
  switch (record.type) {
    case LOCKSTEP_RECORD_CALL:
      if (const auto* call = record.as<lockstep_call>()) take_call(*call, record.thread, position);
      return;
    case LOCKSTEP_RECORD_DONE:
      if (const auto* done = record.as<lockstep_done>()) take_done(*done, position);
      return;
    case LOCKSTEP_RECORD_ACTIVITY:
      if (const auto* activity = record.as<lockstep_activity>()) {
        take_activity(*activity, record.thread, position);
      }
      return;
    case LOCKSTEP_RECORD_CHECKSUM:
      if (const auto* checksum = record.as<lockstep_checksum>()) take_checksum(*checksum);
      return;
    case LOCKSTEP_RECORD_CLOCK:
      if (const auto* clock = record.as<lockstep_clock>()) {
        clocks_.emplace_back(clock->monotonic_ns, clock->wall_ns);
      }
      return;
    case LOCKSTEP_RECORD_DROPPED:
      if (const auto* dropped = record.as<lockstep_dropped>()) dropped_ += dropped->count;
      return;
    case LOCKSTEP_RECORD_ATTRIBUTE:
      if (const auto* attribute = record.as<lockstep_attribute>()) take_attribute(*attribute);
      return;
    case LOCKSTEP_RECORD_END:
      if (const auto* end = record.as<lockstep_end>()) take_end(*end);
      return;
    default:
      return;
  }
}

Event EventBuilder::new_event(std::uint64_t time_ns, std::uint32_t thread, std::uint32_t position) const {
  Event event;
  event.begin_ns = static_cast<std::int64_t>(time_ns);
  event.thread = thread;
  event.source = static_cast<model::SourceId>(0);
  event.position = position;
  return event;
}

void EventBuilder::take_call(const lockstep_call& call, std::uint32_t thread, std::uint32_t position) {
  Event event = new_event(call.time_ns, thread, position);
  const auto operation = static_cast<model::Operation>(call.operation);
  event.kind = model::is_point_to_point(operation) ? EventKind::kPointToPoint : EventKind::kCollective;
  const bool is_only_posted = (call.flags & LOCKSTEP_CALL_POSTED) != 0;
  event.state = is_only_posted ? EventState::kUntracked : EventState::kIssued;
  event.communicator = ids_.communicator(call.communicator);
  event.sequence = call.sequence;
  event.collective = ids_.collective(call);
  event.name = ids_.name(call.name);
  event.stack = ids_.stack(call.stack);
  append(event);
  calls_.add(
      {.communicator = call.communicator,
       .peer = call.peer,
       .sequence = call.sequence,
       .operation = static_cast<model::Operation>(call.operation)},
      static_cast<std::uint32_t>(history_.events.size() - 1),
      [this](std::uint32_t place, CallWord word, std::uint32_t note) { apply_note(place, word, note); });
}

void EventBuilder::append(const Event& event) {
  if (!history_.events.empty() && is_earlier(event, history_.events.back())) is_in_order_ = false;
  history_.events.push_back(event);
}

void EventBuilder::take_done(const lockstep_done& record, std::uint32_t position) {
  const Done done{.time_ns = static_cast<std::int64_t>(record.time_ns),
                  .status = record.status,
                  .error = record.error,
                  .position = position};
  const CallKey key{.communicator = record.communicator,
                    .peer = record.peer,
                    .sequence = record.sequence,
                    .operation = static_cast<model::Operation>(record.operation)};
  const CallWord word = record.status == LOCKSTEP_DONE_STARTED ? CallWord::kStarted : CallWord::kDone;
  const std::uint32_t event = calls_.find(key, word);
  if (event != kNoCall) return apply(done, history_.events[event]);
  calls_.wait_for(key, word, static_cast<std::uint32_t>(postponed_dones_.size()));
  postponed_dones_.push_back(done);
}

void EventBuilder::apply(const Done& done, Event& event) {
  if (done.status == LOCKSTEP_DONE_STARTED) {
    const bool has_not_ended = event.state == EventState::kIssued || event.state == EventState::kUntracked;
    if (has_not_ended) event.state = EventState::kStarted;
    return;
  }
  event.end_ns = done.time_ns;
  if (done.status == LOCKSTEP_DONE_COMPLETED) event.state = EventState::kCompleted;
  if (done.status != LOCKSTEP_DONE_FAILED) return;
  event.state = EventState::kFailed;
  if (const std::string_view message = definitions_.string(done.error); !message.empty()) {
    history_.failures.push_back({.message = std::string(message),
                                 .stack = event.stack,
                                 .time_ns = done.time_ns,
                                 .source = static_cast<model::SourceId>(0),
                                 .position = done.position});
  }
}

void EventBuilder::take_checksum(const lockstep_checksum& record) {
  const CallKey key{.communicator = record.communicator,
                    .peer = record.peer,
                    .sequence = record.sequence,
                    .operation = static_cast<model::Operation>(record.operation)};
  const auto id = static_cast<std::uint32_t>(job_.checksums.size());
  job_.checksums.push_back({.input = record.has_input != 0 ? record.input : 0,
                            .output = record.has_output != 0 ? record.output : 0});
  const CallWord word = record.has_input != 0 ? CallWord::kInputSum : CallWord::kOutputSum;
  const std::uint32_t event = calls_.find(key, word);
  if (event != kNoCall) {
    apply_checksums(history_.events[event], static_cast<model::ChecksumsId>(id));
  } else if (key.operation == model::Operation::kUnknown) {
    take_state(record, static_cast<model::ChecksumsId>(id));
  } else {
    calls_.wait_for(key, word, id);
  }
}

void EventBuilder::apply_checksums(Event& event, model::ChecksumsId sums) {
  if (event.checksums == model::ChecksumsId::kNone) {
    event.checksums = sums;
    return;
  }
  const model::Checksums more = job_.checksums[static_cast<std::size_t>(sums)];
  model::Checksums& known = job_.checksums[static_cast<std::size_t>(event.checksums)];
  if (more.input != 0) known.input = more.input;
  if (more.output != 0) known.output = more.output;
}

// Of a step that has just ended: no call has this name.
void EventBuilder::take_state(const lockstep_checksum& record, model::ChecksumsId sums) {
  constexpr std::ptrdiff_t kMaxSince = 64;
  std::vector<Event>& events = history_.events;
  const auto oldest = events.rbegin() + std::min(std::ssize(events), kMaxSince);
  const auto step = std::find_if(events.rbegin(), oldest, [&](const Event& event) {
    return event.kind == EventKind::kActivity && event.activity == model::Activity::kStep &&
           event.sequence == record.sequence;
  });
  if (step == oldest || step->checksums != model::ChecksumsId::kNone) return;
  step->checksums = sums;
  step->communicator = ids_.communicator(record.communicator);
}

void EventBuilder::take_activity(const lockstep_activity& record, std::uint32_t thread,
                                 std::uint32_t position) {
  const Activity key{
      .activity = record.activity, .thread = thread, .number = record.number, .name = record.name};
  if (record.phase == LOCKSTEP_PHASE_END) {
    if (const auto open = open_activities_.find(key); open != open_activities_.end()) {
      Event& event = history_.events[open->second];
      event.end_ns = static_cast<std::int64_t>(record.time_ns);
      event.state = EventState::kCompleted;
      open_activities_.erase(open);
      return;
    }
  }
  Event event = new_event(record.time_ns, thread, position);
  event.kind = EventKind::kActivity;
  event.activity = static_cast<model::Activity>(record.activity);
  event.sequence = record.number;
  event.name = ids_.name(record.name);
  event.state = EventState::kStarted;
  if (record.phase != LOCKSTEP_PHASE_BEGIN) {
    event.end_ns = event.begin_ns;
    event.state = EventState::kCompleted;
  }
  if (record.phase == LOCKSTEP_PHASE_END) event.begin_ns = model::kNoTime;
  if (record.phase == LOCKSTEP_PHASE_BEGIN) {
    open_activities_[key] = static_cast<std::uint32_t>(history_.events.size());
  }
  append(event);
}

// A record begins when its framework does; its process began earlier.
void EventBuilder::take_process_time(std::string_view text) {
  std::int64_t began_ns = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), began_ns);
  const bool is_number = fault == std::errc{} && end == text.data() + text.size();
  if (is_number && began_ns > 0 && began_ns < *history_.rank.begun_ns) history_.rank.begun_ns = began_ns;
}

void EventBuilder::take_attribute(const lockstep_attribute& record) {
  const std::string_view key = definitions_.string(record.key);
  if (key == "process began") return take_process_time(definitions_.string(record.value));
  if (key == "meeting place") {
    history_.rank.meeting_place = definitions_.string(record.value);
    return;
  }
  const FrameworkAttribute* named = framework_attribute(key);
  if (named == nullptr || !names_rather(*named, job_.framework)) return;
  job_.framework = named->framework;
  history_.rank.framework_version = definitions_.string(record.value);
}

void EventBuilder::take_end(const lockstep_end& record) {
  const bool failed = record.exit_status > 0;
  history_.rank.end = failed ? model::RankEnd::kExited : model::RankEnd::kClean;
  if (failed) history_.rank.exit_status = record.exit_status;
  history_.rank.ended_ns = static_cast<std::int64_t>(record.time_ns);
}

void EventBuilder::apply_note(std::uint32_t place, CallWord word, std::uint32_t note) {
  if (word == CallWord::kInputSum || word == CallWord::kOutputSum) {
    apply_checksums(history_.events[place], static_cast<model::ChecksumsId>(note));
  } else {
    apply(postponed_dones_[note], history_.events[place]);
  }
}

// Wall clocks are set while a job runs. What began before that keeps the clock it began with, so that a
// duration is never wrong by it.
void EventBuilder::set_wall_clock() {
  std::ranges::sort(clocks_);
  std::size_t clock = 0;
  for (Event& event : history_.events) {
    const auto time = static_cast<std::uint64_t>(time_of(event));
    while (clock + 1 < clocks_.size() && clocks_[clock + 1].first <= time) ++clock;
    const std::uint64_t ahead = clocks_[clock].second - clocks_[clock].first;
    event.begin_ns = moved(event.begin_ns, ahead);
    event.end_ns = moved(event.end_ns, ahead);
  }
  const std::uint64_t ahead = clocks_.back().second - clocks_.back().first;
  if (history_.rank.ended_ns) history_.rank.ended_ns = moved(*history_.rank.ended_ns, ahead);
  for (model::Failure& failure : history_.failures) failure.time_ns = moved(failure.time_ns, ahead);
}

model::RankHistory EventBuilder::finish() && {
  calls_.settle(
      [this](std::uint32_t place, CallWord word, std::uint32_t note) { apply_note(place, word, note); });
  if (!is_in_order_) std::ranges::stable_sort(history_.events, is_earlier);
  set_wall_clock();
  history_.events_lost = dropped_;
  return std::move(history_);
}

}  // namespace lockstep::readers
