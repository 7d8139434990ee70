#include "readers/nccl/debug_log.h"

#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/lines.h"
#include "model/collective.h"
#include "model/job.h"
#include "readers/nccl/log_line.h"
#include "readers/nccl/roster.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {

namespace {

// The arguments of a logged operation as a model::Collective.

// Keeps equal ones once; a log repeats a few thousand of them millions of times.
class LoggedCollectives {
 public:
  model::CollectiveId id_of(const NcclOperationMessage& message);

  using Collectives = decltype(model::Job::collectives);
  Collectives& collectives() { return collectives_; }

 private:
  struct Arguments {
    model::Operation operation{};
    std::int64_t count = 0;
    std::uint64_t data_type = 0;
    std::uint64_t reduce_op = 0;
    int root = 0;
    int ranks = 0;

    bool operator==(const Arguments&) const = default;
  };
  struct ArgumentsHash {
    std::size_t operator()(const Arguments& arguments) const;
  };

  std::unordered_map<Arguments, model::CollectiveId, ArgumentsHash> ids_;
  Collectives collectives_;
};

using model::Operation;

bool has_root(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kReduce ||
         operation == Operation::kGather || operation == Operation::kScatter;
}

bool is_reduction(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kReduce ||
         operation == Operation::kReduceScatter;
}

// NCCL prints the elements of one rank; the other side of these operations holds those of all.
std::vector<model::Shape> of_all_ranks(std::int64_t count, int ranks) {
  std::int64_t all = 0;
  if (ranks <= 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(ranks), &all)) return {};
  return {{all}};
}

model::Collective describe(const NcclOperationMessage& message) {
  const model::DataType type = nccl_data_type(message.data_type);
  const std::vector<model::Shape> own = {{message.count}};
  const Operation operation = message.operation;
  model::Collective collective;
  collective.operation = operation;
  if (is_reduction(operation)) collective.reduce_op = nccl_reduce_op(message.reduce_op);
  if (operation != Operation::kReceive) {
    collective.input_types = {type};
    collective.input_shapes =
        operation == Operation::kReduceScatter ? of_all_ranks(message.count, message.ranks) : own;
  }
  if (operation != Operation::kSend) {
    collective.output_types = {type};
    collective.output_shapes =
        operation == Operation::kAllGather ? of_all_ranks(message.count, message.ranks) : own;
  }
  if (has_root(operation) || model::is_point_to_point(operation)) collective.peer = message.root;
  return collective;
}

std::size_t LoggedCollectives::ArgumentsHash::operator()(const Arguments& arguments) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = static_cast<std::uint64_t>(arguments.count) * kMix;
  hash ^= (arguments.data_type << 40) ^ (arguments.reduce_op << 48) ^
          (static_cast<std::uint64_t>(arguments.operation) << 56) ^
          (static_cast<std::uint64_t>(static_cast<std::uint32_t>(arguments.root)) << 8) ^
          static_cast<std::uint64_t>(static_cast<std::uint32_t>(arguments.ranks));
  return hash * kMix;
}

model::CollectiveId LoggedCollectives::id_of(const NcclOperationMessage& message) {
  const Arguments arguments{.operation = message.operation,
                            .count = message.count,
                            .data_type = message.data_type,
                            .reduce_op = message.reduce_op,
                            .root = message.root,
                            .ranks = message.ranks};
  const auto [place, is_new] = ids_.try_emplace(arguments, model::CollectiveId::kNone);
  if (is_new) place->second = collectives_.intern(describe(message));
  return place->second;
}

using model::CommunicatorId;
using model::Event;
using model::EventState;
using model::Operation;

constexpr std::size_t kDebugLogSniffBytes = 1 << 20;
constexpr model::SourceId kDebugLogThisSource{0};
constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();
// So many operations under one number are no group: NCCL did not count (opCount stays 0 while calls are
// captured into a CUDA graph and in the tests of NCCL 2.10). Held by OperationsThatNobodyCountedAreLeftOut.
constexpr std::size_t kLargestGroup = 16;

// A communicator as one process knows it: by an address that means nothing elsewhere.
struct Handle {
  std::string_view host;
  std::int64_t pid = 0;
  std::uint64_t pointer = 0;

  bool operator==(const Handle&) const = default;
};
struct HandleHash {
  std::size_t operator()(const Handle& handle) const {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
    return ((handle.pointer ^ (static_cast<std::uint64_t>(handle.pid) << 48)) * kMix) >> 4;
  }
};

struct Membership {
  CommunicatorId communicator = CommunicatorId::kNone;
  Roster::Process process = 0;
  int rank = 0;
  int ranks = 0;
  std::size_t creation = kNoEvent;  // the event of its creation, while that is under way
  std::string split;                // what a split is called before its id is known

  // opCount counts launches, and those of sends and receives are not the same on all ranks: they are taken
  // out. A launch that has both counts as a collective one.
  std::uint64_t launch = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t point_to_point_launches = 0;
  bool is_point_to_point_launch = false;
  std::size_t operations = 0;
  bool counts = false;  // opCount was seen to rise
};

class DebugLog {
 public:
  explicit DebugLog(const Source& source) : source_(source) {
    model::Collective creating;
    creating.operation = Operation::kCreateCommunicator;
    creating_ = collectives_.collectives().intern(creating);
  }

  model::Job read() {
    if (source_.marks == nullptr) {
      read_lines(source_.bytes, 0);
    } else {
      read_marked_blocks(*source_.marks);
    }
    return finish();
  }

 private:
  void read_lines(std::string_view part, std::int64_t lines_before) {
    base::Lines lines(part);
    while (const auto text = lines.next()) {
      const auto line = nccl_info_line(*text);
      if (!line) continue;
      line_ = static_cast<std::uint32_t>(lines_before) + lines.number();
      if (const auto operation = nccl_operation_message(line->message)) {
        add_operation(*line, *operation);
      } else if (const auto init = nccl_init_message(line->message)) {
        add_init(*line, *init);
      }
    }
  }

  // Runs of blocks in which NCCL speaks, each from the start of its first line to the end of its last.
  void read_marked_blocks(const LogMarks& marks) {
    const std::string_view bytes = source_.bytes;
    std::size_t done = 0;
    for (std::size_t block = 0; block < marks.has_nccl.size(); ++block) {
      if (!marks.has_nccl[block]) continue;
      std::size_t begin = block * LogMarks::kBlock;
      while (block + 1 < marks.has_nccl.size() && marks.has_nccl[block + 1]) ++block;
      std::size_t end = (block + 1) * LogMarks::kBlock;
      if (end <= done) continue;  // the line of the last ones goes on
      if (begin > done) begin = done + bytes.substr(done, begin - done).rfind('\n') + 1;
      end = end >= bytes.size() ? bytes.size() : std::min(bytes.find('\n', end - 1), bytes.size());
      begin = std::max(begin, done);
      if (begin < end) read_lines(bytes.substr(begin, end - begin), marks.lines.line_at(bytes, begin) - 1);
      done = end;
    }
  }

  static Handle handle_of(const NcclLogLine& line, std::uint64_t pointer) {
    return {.host = line.host, .pid = line.pid, .pointer = pointer};
  }

  std::vector<Event>& events_of(Roster::Process process) { return roster_.history(process).events; }

  void add_operation(const NcclLogLine& line, const NcclOperationMessage& message) {
    const auto [place, is_new] = memberships_.try_emplace(handle_of(line, message.pointer));
    Membership& membership = place->second;
    if (is_new) adopt(membership, line, message);
    const bool is_point_to_point = model::is_point_to_point(message.operation);
    Event event;
    event.kind = is_point_to_point ? model::EventKind::kPointToPoint : model::EventKind::kCollective;
    event.communicator = membership.communicator;
    event.sequence = number_of(membership, message.launch, is_point_to_point);
    event.collective = collectives_.id_of(message);
    event.thread = line.thread;
    event.source = kDebugLogThisSource;
    event.position = line_;
    events_of(membership.process).push_back(event);
  }

  // The log begins after the communicator was made: whose it is and who else is in it is not known.
  void adopt(Membership& membership, const NcclLogLine& line, const NcclOperationMessage& message) {
    membership.process = roster_.process(line.host, line.pid, line.device);
    membership.ranks = message.ranks;
    membership.communicator =
        roster_.communicator(fmt::format("{:#x} of {}:{}", message.pointer, line.host, line.pid),
                             message.ranks > 0 ? std::optional(message.ranks) : std::nullopt);
    roster_.history(membership.process).begins_at_start = false;
    ++adopted_;
  }

  static std::uint64_t number_of(Membership& membership, std::uint64_t launch, bool is_point_to_point) {
    const bool is_new = launch != membership.launch;
    membership.counts = membership.counts || (is_new && membership.operations > 0);
    ++membership.operations;
    membership.launch = launch;
    if (is_point_to_point) {
      if (is_new) ++membership.point_to_point_launches;
      if (is_new) membership.is_point_to_point_launch = true;
      return model::kNoSequence;
    }
    if (!is_new && membership.is_point_to_point_launch) --membership.point_to_point_launches;
    membership.is_point_to_point_launch = false;
    const std::uint64_t before = membership.point_to_point_launches;
    return launch >= before ? launch - before + 1 : model::kNoSequence;
  }

  void add_init(const NcclLogLine& line, const NcclInitMessage& message) {
    Membership& membership = memberships_[handle_of(line, message.pointer)];
    const bool was_started = membership.creation != kNoEvent && message.is_complete;
    if (!was_started) begin(membership, line, message);
    const std::string name = name_of(membership, line, message);
    if (!name.empty()) enter(membership, name);
    Event& creation = events_of(membership.process)[membership.creation];
    creation.communicator = membership.communicator;
    if (!message.is_complete) return;
    creation.state = EventState::kCompleted;
    membership.creation = kNoEvent;
    if (!membership.split.empty()) ids_of_splits_.try_emplace(membership.split, name);
  }

  // An address is used again once its communicator is gone, so nothing of an earlier one is kept.
  void begin(Membership& membership, const NcclLogLine& line, const NcclInitMessage& message) {
    membership = {};
    membership.process = roster_.process(line.host, line.pid, message.device.value_or(line.device));
    membership.rank = message.rank;
    membership.ranks = message.ranks;
    if (message.parent && !message.split.empty()) {
      const auto parent = memberships_.find(handle_of(line, *message.parent));
      if (parent != memberships_.end() && parent->second.communicator != CommunicatorId::kNone) {
        membership.split = fmt::format("{} {}", names_[parent->second.communicator], message.split);
      }
    }
    Event event;
    event.state = EventState::kIssued;
    event.sequence = 0;
    event.collective = creating_;
    event.thread = line.thread;
    event.source = kDebugLogThisSource;
    event.position = line_;
    std::vector<Event>& events = events_of(membership.process);
    membership.creation = events.size();
    events.push_back(event);
    if (!membership.split.empty()) {
      splits_.push_back({.membership = membership, .creation = membership.creation});
    }
  }

  // Empty: it will be known later, or never.
  std::string name_of(const Membership& membership, const NcclLogLine& line, const NcclInitMessage& message) {
    if (!message.id.empty()) return nccl_communicator_name(message.id);
    if (!membership.split.empty()) return message.is_complete ? membership.split : "";
    ++without_id_;  // before 2.14
    return fmt::format("{:#x} of {}:{}", message.pointer, line.host, line.pid);
  }

  void enter(Membership& membership, const std::string& name) {
    membership.communicator = roster_.communicator(name, membership.ranks);
    names_.try_emplace(membership.communicator, name);
    roster_.join(membership.communicator, membership.rank, membership.process);
  }

  // A split that never completed here may have completed elsewhere: then its id is known.
  void name_unfinished_splits() {
    for (auto& [membership, creation] : splits_) {
      Event& event = events_of(membership.process)[creation];
      if (event.state == EventState::kCompleted) continue;
      const auto known = ids_of_splits_.find(membership.split);
      enter(membership, known == ids_of_splits_.end() ? membership.split : known->second);
      event.communicator = membership.communicator;
    }
  }

  // Under one number for all, the calls of one rank cannot be told from those of another.
  void leave_out_uncounted() {
    for (const auto& known : memberships_) {
      const Membership& membership = known.second;
      if (membership.counts || membership.operations <= kLargestGroup) continue;
      std::erase_if(events_of(membership.process), [&](const Event& event) {
        return event.communicator == membership.communicator && event.kind == model::EventKind::kCollective &&
               event.sequence != 0;
      });
      ++uncounted_;
    }
  }

  model::Job finish() {
    name_unfinished_splits();
    leave_out_uncounted();
    model::Job job = roster_.finish(source_, roster_.numbers_by_largest());
    job.collectives = std::move(collectives_.collectives());
    if (adopted_ > 0) {
      job.limits.push_back(fmt::format(
          "{}: the log does not show the creation of {} communicators it has operations of; their ranks are "
          "not known",
          source_.name, adopted_));
    }
    if (uncounted_ > 0) {
      job.limits.push_back(fmt::format(
          "{}: NCCL did not count the operations of {} communicators, so those of their ranks cannot be "
          "compared",
          source_.name, uncounted_));
    }
    if (without_id_ > 0) {
      job.limits.push_back(
          fmt::format("{}: this NCCL prints no commId, so communicators of different ranks cannot be matched",
                      source_.name));
    }
    return job;
  }

  struct Split {
    Membership membership;
    std::size_t creation = kNoEvent;
  };

  const Source& source_;
  Roster roster_;
  LoggedCollectives collectives_;
  model::CollectiveId creating_ = model::CollectiveId::kNone;
  std::uint32_t line_ = 0;
  std::unordered_map<Handle, Membership, HandleHash> memberships_;
  std::unordered_map<CommunicatorId, std::string> names_;
  std::vector<Split> splits_;
  std::unordered_map<std::string, std::string> ids_of_splits_;
  std::size_t adopted_ = 0;
  std::size_t without_id_ = 0;
  std::size_t uncounted_ = 0;
};

}  // namespace

bool recognises_nccl_debug_log(const Source& source) {
  const std::string_view head = source.bytes.substr(0, kDebugLogSniffBytes);
  return head.find(" NCCL INFO ") != std::string_view::npos ||
         head.find(" NCCL WARN ") != std::string_view::npos;
}

model::Job read_nccl_debug_log(const Source& source) {
  return DebugLog(source).read();
}

}  // namespace lockstep::readers
