#include "execution.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lockstep::dumps {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kHostStuck:
      return "host stuck";
    case FaultKind::kGilHeld:
      return "interpreter's lock held";
    case FaultKind::kDead:
      return "dead";
    case FaultKind::kDeviceStuck:
      return "device stuck before";
    case FaultKind::kDeviceInside:
      return "device stuck inside";
    case FaultKind::kSkipped:
      return "skipped";
    case FaultKind::kReordered:
      return "reordered";
  }
  return "";
}

bool Execution::is_finished() const {
  for (std::size_t rank = 0; rank < issued.size(); ++rank) {
    if (issued[rank].size() < length[rank]) return false;
    if (!std::ranges::all_of(issued[rank], &Call::is_completed)) return false;
  }
  return true;
}

namespace {

constexpr int kNever = std::numeric_limits<int>::max();

struct Meeting {
  const Op* first = nullptr;
  std::size_t started = 0;
  bool differs = false;
  bool source_started = false;
};

struct Ends {
  std::vector<bool> sent;
  std::vector<bool> received;
};

// One rank: what it runs, and where it is.
struct Runner {
  std::vector<int> order;  // places in the program
  std::vector<int> call_of_place;
  int host_stops_at = kNever;    // index into order
  int device_stops_at = kNever;  // place
  int stays_inside = kNever;     // place
  std::size_t next = 0;          // index into order
  std::vector<int> sequence;     // by group
  std::vector<int> message_sequence;
  std::vector<int> operation;
  std::vector<int> last_of_stream;  // by group: index of the last issued collective; -1
  std::vector<std::size_t> open;    // issued, not completed
};

class Machine {
 public:
  Machine(const MeshJob& job, std::span<const Fault> faults)
      : job_(job),
        meetings_(job.groups.size()),
        ends_(static_cast<std::size_t>(job.channels)),
        runners_(static_cast<std::size_t>(job.ranks)) {
    result_.issued.resize(runners_.size());
    for (std::size_t rank = 0; rank < runners_.size(); ++rank) set_up(runners_[rank], job.programs[rank]);
    for (const Fault& fault : faults) break_it(fault);
    for (const Runner& runner : runners_) result_.length.push_back(runner.order.size());
  }

  Execution run(std::span<const Fault> faults) {
    bool moves = true;
    while (moves) {
      moves = false;
      for (std::size_t rank = 0; rank < runners_.size(); ++rank) moves |= step(static_cast<int>(rank));
    }
    for (const Fault& fault : faults) result_.reached.push_back(was_reached(fault));
    return std::move(result_);
  }

  std::vector<Call> issue_all(int rank) {
    Runner& runner = runners_[static_cast<std::size_t>(rank)];
    std::vector<Call> calls;
    while (runner.next < runner.order.size() && static_cast<int>(runner.next) < runner.host_stops_at)
      issue_next(rank, runner, calls);
    return calls;
  }

 private:
  void set_up(Runner& runner, const Program& program) const {
    for (std::size_t place = 0; place < program.size(); ++place)
      runner.order.push_back(static_cast<int>(place));
    runner.call_of_place.assign(program.size(), -1);
    runner.sequence.assign(job_.groups.size(), 0);
    runner.message_sequence.assign(job_.groups.size(), 0);
    runner.operation.assign(job_.groups.size(), 0);
    runner.last_of_stream.assign(job_.groups.size(), -1);
  }

  void break_it(const Fault& fault) {
    Runner& runner = runners_[static_cast<std::size_t>(fault.rank)];
    const auto at = std::ranges::find(runner.order, fault.at);
    switch (fault.kind) {
      case FaultKind::kHostStuck:
      case FaultKind::kGilHeld:
      case FaultKind::kDead:
        runner.host_stops_at = static_cast<int>(at - runner.order.begin());
        break;
      case FaultKind::kDeviceStuck:
        runner.device_stops_at = fault.at;
        break;
      case FaultKind::kDeviceInside:
        runner.stays_inside = fault.at;
        break;
      case FaultKind::kSkipped:
        runner.order.erase(at);
        break;
      case FaultKind::kReordered:
        if (const auto other = exchanged_with(fault))
          std::iter_swap(at, std::ranges::find(runner.order, *other));
        break;
    }
  }

  std::optional<int> exchanged_with(const Fault& fault) const {
    const Program& program = job_.programs[static_cast<std::size_t>(fault.rank)];
    const auto next = static_cast<std::size_t>(fault.at) + 1;
    const bool fits = next < program.size() && program[next].kind == OpKind::kCollective &&
                      program[next].group != program[next - 1].group;
    return fits ? std::optional(static_cast<int>(next)) : std::nullopt;
  }

  const Op& op_at(int rank, int place) const {
    return job_.programs[static_cast<std::size_t>(rank)][static_cast<std::size_t>(place)];
  }

  bool step(int rank) {
    Runner& runner = runners_[static_cast<std::size_t>(rank)];
    std::vector<Call>& calls = result_.issued[static_cast<std::size_t>(rank)];
    bool moves = false;
    while (issue(rank, runner, calls)) moves = true;
    for (const std::size_t at : runner.open) {
      if (!calls[at].is_started && can_start(runner, calls, at)) {
        calls[at].is_started = true;
        note_start(rank, calls[at]);
        moves = true;
      }
    }
    for (const std::size_t at : runner.open) {
      if (calls[at].is_started && calls[at].place != runner.stays_inside && can_end(calls[at])) {
        calls[at].is_completed = true;
        moves = true;
      }
    }
    std::erase_if(runner.open, [&](std::size_t at) { return calls[at].is_completed; });
    return moves;
  }

  bool issue(int rank, Runner& runner, std::vector<Call>& calls) {
    if (runner.next >= runner.order.size() || static_cast<int>(runner.next) >= runner.host_stops_at)
      return false;
    if (runner.open.size() >= static_cast<std::size_t>(job_.run_ahead)) return false;
    const int place = runner.order[runner.next];
    const bool has_to_wait = op_at(rank, place).kind == OpKind::kSync && !runner.open.empty();
    if (has_to_wait) return false;
    issue_next(rank, runner, calls);
    return true;
  }

  void issue_next(int rank, Runner& runner, std::vector<Call>& calls) {
    const int place = runner.order[runner.next++];
    const Op& op = op_at(rank, place);
    Call call{.op = &op, .place = place};
    runner.call_of_place[static_cast<std::size_t>(place)] = static_cast<int>(calls.size());
    if (op.kind == OpKind::kSync) {
      call.is_started = call.is_completed = true;
      calls.push_back(call);
      return;
    }
    const auto group = static_cast<std::size_t>(op.group);
    const bool is_collective = op.kind == OpKind::kCollective || op.kind == OpKind::kBroadcast;
    (is_collective ? runner.sequence : runner.message_sequence)[group]++;
    call.sequence = runner.sequence[group];
    call.message_sequence = runner.message_sequence[group];
    call.operation = ++runner.operation[group];
    for (std::size_t at = 0; at < op.messages.size(); ++at) {
      std::vector<bool>& own = own_end(op.messages[at]);
      call.numbers[at] = own.size();
      own.push_back(false);
    }
    runner.open.push_back(calls.size());
    calls.push_back(call);
  }

  bool can_start(const Runner& runner, const std::vector<Call>& calls, std::size_t at) const {
    const Call& call = calls[at];
    if (call.place == runner.device_stops_at) return false;
    // A device that stands still starts nothing behind that place either.
    if (runner.device_stops_at != kNever && call.place > runner.device_stops_at &&
        runner.call_of_place[static_cast<std::size_t>(runner.device_stops_at)] >= 0)
      return false;
    for (const int place : call.op->after) {
      const int needed = runner.call_of_place[static_cast<std::size_t>(place)];
      const bool was_issued_before = needed >= 0 && static_cast<std::size_t>(needed) < at;
      if (was_issued_before && !calls[static_cast<std::size_t>(needed)].is_completed) return false;
    }
    for (const std::size_t before : runner.open) {
      if (before >= at) break;
      const Op& earlier = *calls[before].op;
      const bool was_exchanged = calls[before].place > call.place;
      if (!calls[before].is_completed && (was_exchanged || share_a_stream(earlier, *call.op))) return false;
    }
    return true;
  }

  static bool share_a_stream(const Op& left, const Op& right) {
    if (left.group != right.group) return false;
    const bool are_messages = !left.messages.empty() && !right.messages.empty();
    if (left.messages.empty() && right.messages.empty()) return true;
    return are_messages && std::ranges::any_of(left.messages, [&](const Message& one) {
             return std::ranges::any_of(right.messages, [&](const Message& other) {
               return one.peer == other.peer && one.is_send == other.is_send;
             });
           });
  }

  Meeting& meeting_of(const Call& call) {
    std::vector<Meeting>& of_group = meetings_[static_cast<std::size_t>(call.op->group)];
    if (of_group.size() <= static_cast<std::size_t>(call.sequence))
      of_group.resize(static_cast<std::size_t>(call.sequence) + 1);
    return of_group[static_cast<std::size_t>(call.sequence)];
  }

  std::vector<bool>& own_end(const Message& message) {
    Ends& ends = ends_[static_cast<std::size_t>(message.channel)];
    return message.is_send ? ends.sent : ends.received;
  }

  void note_start(int rank, const Call& call) {
    if (call.op->messages.empty()) {
      Meeting& meeting = meeting_of(call);
      if (meeting.first == nullptr) meeting.first = call.op;
      meeting.differs |= meeting.first->name != call.op->name || meeting.first->elements != call.op->elements;
      meeting.source_started |= call.op->source == rank;
      ++meeting.started;
      return;
    }
    for (std::size_t at = 0; at < call.op->messages.size(); ++at)
      own_end(call.op->messages[at])[call.numbers[at]] = true;
  }

  bool can_end(const Call& call) {
    if (call.op->messages.empty()) {
      const Meeting& meeting = meeting_of(call);
      if (meeting.differs) return false;
      if (call.op->kind == OpKind::kBroadcast) return meeting.source_started;
      return meeting.started == job_.groups[static_cast<std::size_t>(call.op->group)].members.size();
    }
    for (std::size_t at = 0; at < call.op->messages.size(); ++at) {
      const Ends& ends = ends_[static_cast<std::size_t>(call.op->messages[at].channel)];
      const std::size_t number = call.numbers[at];
      const bool have_both = number < ends.sent.size() && number < ends.received.size() &&
                             ends.sent[number] && ends.received[number];
      if (!have_both) return false;
    }
    return true;
  }

  bool was_reached(const Fault& fault) const {
    const Runner& runner = runners_[static_cast<std::size_t>(fault.rank)];
    const std::vector<Call>& calls = result_.issued[static_cast<std::size_t>(fault.rank)];
    const int call = runner.call_of_place[static_cast<std::size_t>(fault.at)];
    switch (fault.kind) {
      case FaultKind::kHostStuck:
      case FaultKind::kGilHeld:
      case FaultKind::kDead:
        return static_cast<int>(runner.next) == runner.host_stops_at;
      case FaultKind::kDeviceStuck:
      case FaultKind::kDeviceInside:
        return call >= 0;
      case FaultKind::kSkipped:
      case FaultKind::kReordered:
        return static_cast<int>(calls.size()) > fault.at;
    }
    return false;
  }

  const MeshJob& job_;
  std::vector<std::vector<Meeting>> meetings_;  // by group, then sequence
  std::vector<Ends> ends_;                      // by channel
  std::vector<Runner> runners_;
  Execution result_;
};

}  // namespace

std::vector<Call> issue_all(const MeshJob& job, const Fault& fault) {
  return Machine(job, {&fault, 1}).issue_all(fault.rank);
}

Execution execute(const MeshJob& job, std::span<const Fault> faults) {
  return Machine(job, faults).run(faults);
}

}  // namespace lockstep::dumps
