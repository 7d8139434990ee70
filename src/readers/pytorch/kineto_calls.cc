#include "readers/pytorch/kineto_calls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <unordered_map>

#include "base/fast_json.h"
#include "base/text_fields.h"
#include "model/collective.h"
#include "readers/pytorch/kineto_entry.h"

namespace lockstep::readers {

namespace {

// The collective itself as the args of a trace entry describe it.

using model::Operation;

constexpr std::size_t kMaxTensors = 64;
constexpr std::size_t kMaxDimensions = 64;

bool has_peer(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kReduce ||
         operation == Operation::kGather || operation == Operation::kScatter ||
         model::is_point_to_point(operation);
}

std::optional<int> peer_of(std::optional<std::int64_t> rank) {
  if (!rank || *rank < 0 || *rank > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*rank);
}

// Behind the tensors and the group in the signature of the operation.
std::size_t place_of_peer(Operation operation) {
  const bool has_one_list = operation == Operation::kBroadcast || model::is_point_to_point(operation);
  return has_one_list ? 2 : 3;
}

// record_param_comms and NCCL kernels: element counts, which are there whether or not shapes were recorded.
// Without the operation.
model::Collective collective_of_call(base::FastJson args, Operation operation) {
  model::Collective collective;
  if (has_peer(operation)) collective.peer = peer_of(base::integer_member(args, "Rank"));
  if (operation == Operation::kBarrier) return collective;
  const model::DataType type = pytorch_data_type(base::string_member(args, "dtype").value_or(""));
  if (const auto count = base::integer_member(args, "In msg nelems")) {
    collective.input_types = {type};
    collective.input_shapes = {{*count}};
  }
  if (const auto count = base::integer_member(args, "Out msg nelems")) {
    collective.output_types = {type};
    collective.output_shapes = {{*count}};
  }
  return collective;
}

// c10d::broadcast_: its shapes differ in form between operations; only the root or the other end is taken.
model::Collective collective_of_issue(base::FastJson args, Operation operation) {
  model::Collective collective;
  if (!has_peer(operation)) return collective;
  std::size_t place = 0;
  base::for_each_element(base::member(args, "Concrete Inputs"), [&](base::FastJson input) {
    if (place++ == place_of_peer(operation)) collective.peer = peer_of(base::integer_of(input));
  });
  return collective;
}

// gloo:all_reduce: shapes and types, if they were recorded.
model::Collective collective_of_annotation(base::FastJson args) {
  model::Collective collective;
  base::for_each_element(base::member(args, "Input Dims"), [&](base::FastJson dimensions) {
    if (collective.input_shapes.size() == kMaxTensors) return;
    model::Shape shape;
    base::for_each_element(dimensions, [&](base::FastJson dimension) {
      if (shape.size() < kMaxDimensions) shape.push_back(base::integer_of(dimension).value_or(-1));
    });
    collective.input_shapes.push_back(std::move(shape));
  });
  base::for_each_element(base::member(args, "Input type"), [&](base::FastJson type) {
    if (collective.input_types.size() == kMaxTensors) return;
    collective.input_types.push_back(pytorch_data_type(base::string_of(type).value_or("")));
  });
  return collective;
}

using model::Event;
using model::EventKind;
using model::EventState;
using model::Operation;

// What PyTorch records beside operations: waiting for one, making a group.
bool is_no_operation(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"", "wait", "init", "startCoalescing", "endCoalescing"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::int64_t nanoseconds(double microseconds) {
  return std::llround(microseconds * 1000);
}

void set_times(const Event& ran, Event& event) {
  const bool is_first = event.state != EventState::kCompleted;
  event.begin_ns = is_first ? ran.begin_ns : std::min(event.begin_ns, ran.begin_ns);
  event.end_ns = is_first ? ran.end_ns : std::max(event.end_ns, ran.end_ns);
  event.state = EventState::kCompleted;
}

}  // namespace

void TraceCalls::take(const TraceEntry& entry, std::uint32_t position) {
  switch (entry.kind) {
    case EntryKind::kStep:
      return take_step(entry, position);
    case EntryKind::kCall:
      return take_call(entry, position);
    case EntryKind::kKernel:
      return take_kernel(entry, position);
    case EntryKind::kIssue:
      return take_issue(entry, position);
    case EntryKind::kAnnotation:
      return take_annotation(entry, position);
    case EntryKind::kOther:
      return;
  }
}

TraceCalls::Half TraceCalls::half_of(const TraceEntry& entry, std::uint32_t position) const {
  constexpr std::int64_t kSomeRealTime =
      1'000'000'000'000'000'000;  // 2001: before, it is the time since a boot
  Half half;
  half.event.begin_ns = base_ns_ + nanoseconds(entry.begin_us);
  half.event.end_ns = half.event.begin_ns + nanoseconds(entry.duration_us);
  half.event.only_duration = half.event.begin_ns < kSomeRealTime;
  half.event.thread = entry.thread;
  half.event.source = static_cast<model::SourceId>(0);
  half.event.position = position;
  half.issued_ns = half.event.begin_ns;
  if (entry.args) half.external_id = base::integer_member(*entry.args, "External id").value_or(-1);
  return half;
}

void TraceCalls::take_step(const TraceEntry& entry, std::uint32_t position) {
  const std::string_view number = entry.name.substr(entry.name.find('#') + 1);
  const auto step = base::number_in<std::uint64_t>(number);
  if (!step) return;
  Event event = half_of(entry, position).event;
  event.kind = EventKind::kActivity;
  event.activity = model::Activity::kStep;
  event.state = EventState::kCompleted;
  event.sequence = *step;
  steps_.push_back(event);
}

void TraceCalls::set_operation(const TraceEntry& entry, std::string_view name, model::Collective collective,
                               Half& half) {
  collective.operation = pytorch_operation(name);
  const bool is_pair = is_point_to_point(collective.operation);
  half.event.kind = is_pair ? EventKind::kPointToPoint : EventKind::kCollective;
  half.event.name = job_.names.intern(std::string(name));
  half.event.collective = job_.collectives.intern(collective);
  half.event.communicator = entry.args ? groups_.of(*entry.args) : model::CommunicatorId::kNone;
  if (is_pair || !entry.args) return;
  const auto sequence = base::integer_member(*entry.args, "Seq");
  if (sequence && *sequence >= 0) half.event.sequence = static_cast<std::uint64_t>(*sequence);
}

void TraceCalls::take_call(const TraceEntry& entry, std::uint32_t position) {
  if (!entry.args) return;
  const std::string_view name = base::string_member(*entry.args, "Collective name").value_or("");
  if (is_no_operation(name)) return;
  Half half = half_of(entry, position);
  half.event.end_ns = model::kNoTime;  // it was issued; whether it ran is for the kernel to say
  set_operation(entry, name, collective_of_call(*entry.args, pytorch_operation(name)), half);
  calls_.push_back(half);
}

void TraceCalls::take_kernel(const TraceEntry& entry, std::uint32_t position) {
  Half half = half_of(entry, position);
  const auto name = entry.args ? base::string_member(*entry.args, "Collective name") : std::nullopt;
  model::Collective collective;
  if (name) collective = collective_of_call(*entry.args, pytorch_operation(*name));
  set_operation(entry, name.value_or(entry.name.substr(0, entry.name.find('('))), std::move(collective),
                half);
  half.event.state = EventState::kCompleted;
  kernels_.push_back(half);
}

void TraceCalls::take_issue(const TraceEntry& entry, std::uint32_t position) {
  const Operation operation = pytorch_operation(entry.name);
  if (operation == Operation::kUnknown || !entry.args) return;
  Half half = half_of(entry, position);
  half.event.end_ns = model::kNoTime;
  set_operation(entry, entry.name, collective_of_issue(*entry.args, operation), half);
  issues_.push_back(half);
}

void TraceCalls::take_annotation(const TraceEntry& entry, std::uint32_t position) {
  Half half = half_of(entry, position);
  set_operation(entry, entry.name, entry.args ? collective_of_annotation(*entry.args) : model::Collective{},
                half);
  half.event.communicator = groups_.only();
  half.event.state = EventState::kCompleted;
  annotations_.push_back(half);
}

void TraceCalls::join_kernels() {
  std::map<std::pair<model::CommunicatorId, std::uint64_t>, std::size_t> by_sequence;
  std::unordered_map<std::int64_t, std::size_t> by_external_id;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Event& event = calls_[i].event;
    if (event.sequence != model::kNoSequence)
      by_sequence.try_emplace({event.communicator, event.sequence}, i);
    if (calls_[i].external_id >= 0) by_external_id.try_emplace(calls_[i].external_id, i);
  }
  for (Half& kernel : kernels_) {
    const auto external = by_external_id.find(kernel.external_id);
    const auto numbered = by_sequence.find({kernel.event.communicator, kernel.event.sequence});
    if (external != by_external_id.end()) {
      set_times(kernel.event, calls_[external->second].event);
    } else if (numbered != by_sequence.end()) {
      set_times(kernel.event, calls_[numbered->second].event);
    } else {
      continue;
    }
    kernel.is_joined = true;
  }
  // A kernel by itself is a collective all the same, unless it is one of the sends and receives that were
  // recorded one by one.
  for (Half& kernel : kernels_) {
    const Operation operation = job_.collectives[kernel.event.collective].operation;
    if (!kernel.is_joined && operation != Operation::kUnknown) calls_.push_back(kernel);
  }
}

// Annotations have no number of the operation they belong to, but a backend works its queue off in order.
void TraceCalls::join_annotations() {
  if (!calls_.empty()) issues_.clear();  // they are the same operations
  const auto by_time = [](const Half& a, const Half& b) { return a.issued_ns < b.issued_ns; };
  std::ranges::stable_sort(issues_, by_time);
  std::ranges::stable_sort(annotations_, by_time);
  std::map<Operation, std::deque<Half*>> waiting;
  for (Half& issue : issues_) waiting[job_.collectives[issue.event.collective].operation].push_back(&issue);
  for (Half& annotation : annotations_) {
    model::Collective collective = job_.collectives[annotation.event.collective];
    std::deque<Half*>& queue = waiting[collective.operation];
    if (!queue.empty() && queue.front()->issued_ns <= annotation.issued_ns) {
      Half& issue = *queue.front();
      queue.pop_front();
      issue.is_joined = true;
      annotation.issued_ns = issue.issued_ns;
      collective.peer = job_.collectives[issue.event.collective].peer;
      annotation.event.collective = job_.collectives.intern(collective);
    }
    calls_.push_back(annotation);
  }
  for (Half& issue : issues_) {
    issue.event.communicator = groups_.only();
    if (!issue.is_joined) calls_.push_back(issue);
  }
}

std::vector<Event> TraceCalls::finish() {
  join_kernels();
  join_annotations();
  for (const Event& step : steps_) {
    calls_.push_back({.event = step, .external_id = -1, .issued_ns = step.begin_ns, .is_joined = false});
  }
  std::ranges::stable_sort(calls_, [](const Half& a, const Half& b) { return a.issued_ns < b.issued_ns; });
  std::vector<Event> events;
  events.reserve(calls_.size());
  for (const Half& call : calls_) events.push_back(call.event);
  return events;
}

}  // namespace lockstep::readers
