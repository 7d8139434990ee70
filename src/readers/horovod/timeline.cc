#include "readers/horovod/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/lines.h"
#include "base/text_fields.h"
#include "model/rank.h"

namespace lockstep::readers {

namespace {

// The records of a timeline one after another, from a file that often is no JSON: its array may be open, end
// in a comma, or hold tensor names that nobody escaped. So records are told apart by the brackets that begin
// them, and one that cannot be parsed spoils no other.

class TimelineRecords {
 public:
  explicit TimelineRecords(std::string_view text);

  // The next record as text. None at the end.
  std::optional<std::string_view> next();

 private:
  std::size_t next_begin(std::size_t from) const;

  std::string_view text_;
  std::size_t begin_ = 0;
};

// The name that a record {"name": "process_name", ..., "pid": 7, "args": {"name": "..."}} gives to its pid,
// whatever characters it holds. None for any other record.
struct NamedTensor {
  std::int64_t pid = 0;
  std::string_view name;
};

constexpr std::string_view kSpace = " \t\r\n";

TimelineRecords::TimelineRecords(std::string_view text) : text_(text), begin_(next_begin(0)) {}

// A record's bracket follows a comma or the array's bracket; that of its arguments follows a colon.
std::size_t TimelineRecords::next_begin(std::size_t from) const {
  for (std::size_t at = from; (at = text_.find('{', at)) != std::string_view::npos; ++at) {
    const std::size_t before = text_.substr(0, at).find_last_not_of(kSpace);
    if (before == std::string_view::npos || text_[before] == ',' || text_[before] == '[') return at;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> TimelineRecords::next() {
  if (begin_ == std::string_view::npos) return std::nullopt;
  const std::size_t end = next_begin(begin_ + 1);
  std::string_view record = text_.substr(begin_, end - begin_);
  begin_ = end;
  const std::size_t last = record.find_last_not_of(" \t\r\n,]");
  return record.substr(0, last + 1);
}

std::optional<NamedTensor> tensor_named_by(std::string_view record) {
  constexpr std::string_view kKey = "\"args\": {\"name\": \"";
  if (record.find("\"process_name\"") == std::string_view::npos) return std::nullopt;
  const auto pid = base::number_in<std::int64_t>(base::word_after(record, "\"pid\": ", ",}"));
  std::string_view name = base::rest_after(record, kKey);
  if (!pid || name.empty() || !name.ends_with("\"}}")) return std::nullopt;
  name.remove_suffix(3);
  return NamedTensor{.pid = *pid, .name = name};
}

using base::integer_member;
using base::string_member;
using model::Event;
using model::EventState;
using model::Operation;

constexpr std::size_t kTimelineSniffBytes = 65536;
constexpr std::size_t kLongestRecord = 1 << 20;  // a parsed record takes ten times its length
constexpr int kTimelineMaxRanks = 1 << 20;
constexpr std::int64_t kTimelineMicrosecond = 1000;
constexpr std::string_view kNegotiate = "NEGOTIATE_";
constexpr std::size_t kNoSet = std::numeric_limits<std::uint32_t>::max();

struct OperationName {
  std::string_view name;
  Operation operation;
  model::ReduceOp reduce_op;
};
constexpr OperationName kTimelineOperations[] = {
    {"ALLREDUCE", Operation::kAllReduce, model::ReduceOp::kNone},
    {"ADASUM", Operation::kAllReduce, model::ReduceOp::kAdasum},
    {"ALLGATHER", Operation::kAllGather, model::ReduceOp::kNone},
    {"BROADCAST", Operation::kBroadcast, model::ReduceOp::kNone},
    {"ALLTOALL", Operation::kAllToAll, model::ReduceOp::kNone},
    {"REDUCESCATTER", Operation::kReduceScatter, model::ReduceOp::kNone},
    {"BARRIER", Operation::kBarrier, model::ReduceOp::kNone},
    {"JOIN", Operation::kJoin, model::ReduceOp::kNone},
};

enum class Stage : std::uint8_t { kIdle, kNegotiating, kAgreed, kRunning };

struct Announcement {
  std::size_t rank = 0;  // index into the job's ranks
  std::size_t event = 0;
};

// One tensor, and the operation on it that is under way.
struct Tensor {
  model::NameId name = model::NameId::kNone;
  Stage stage = Stage::kIdle;
  std::size_t open_activities = 0;  // nested in the operation
  bool had_activity = false;
  std::uint64_t number = 0;
  model::CollectiveId collective = model::CollectiveId::kNone;
  std::vector<Announcement> announcements;
  std::size_t set = kNoSet;  // the ranks that share it, known once all of them announced it
};

class Timeline {
 public:
  explicit Timeline(const Source& source) : source_(source), lines_(source.bytes) {
    job_.framework = "horovod";
    job_.sources = {source.name};
  }

  model::Job read() {
    TimelineRecords records(source_.bytes);
    while (const auto record = records.next()) {
      was_last_readable_ = add_record(*record);
      if (!was_last_readable_) ++unreadable_;
    }
    close_unfinished();
    write_communicators();
    say_limits();
    return std::move(job_);
  }

 private:
  bool add_record(std::string_view text) {
    if (const auto named = tensor_named_by(text)) {
      tensors_[named->pid].name = job_.names.intern(std::string(named->name));
      return true;
    }
    const auto record = text.size() <= kLongestRecord ? parser_.parse(text) : std::nullopt;
    if (!record) return false;
    const auto phase = string_member(*record, "ph");
    const auto pid = integer_member(*record, "pid");
    if (phase == "M") {
      if (const auto args = base::member(*record, "args")) set_start(*args);
      return true;
    }
    const auto time = integer_member(*record, "ts");
    if (!phase || !pid || !time) return phase.has_value();  // markers of cycles have no pid
    Tensor& tensor = tensors_[*pid];
    const std::string_view name = string_member(*record, "name").value_or("");
    if (*phase == "B") begin(tensor, name);
    if (*phase == "X" && tensor.stage == Stage::kNegotiating) announce(tensor, name, when(*time), text);
    if (*phase == "E") end(tensor, when(*time));
    return true;
  }

  void set_start(base::FastJson args) {
    start_us_ = integer_member(args, "start_time_since_epoch_in_micros").value_or(start_us_);
  }

  std::int64_t when(std::int64_t since_start_us) const {
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / (2 * kTimelineMicrosecond);
    const auto is_sane = [](std::int64_t us) { return us >= -kLatest / 2 && us <= kLatest / 2; };
    if (!is_sane(start_us_) || !is_sane(since_start_us)) return model::kNoTime;
    return (start_us_ + since_start_us) * kTimelineMicrosecond;
  }

  void begin(Tensor& tensor, std::string_view name) {
    if (name.starts_with(kNegotiate)) {
      close(tensor, EventState::kUntracked, model::kNoTime);
      tensor.stage = Stage::kNegotiating;
      tensor.number = negotiations_++;
      tensor.collective = collective_named(name.substr(kNegotiate.size()));
      tensor.had_activity = false;
    } else if (tensor.stage == Stage::kRunning) {
      ++tensor.open_activities;
      tensor.had_activity = true;
      note_backend(name);
    } else {
      tensor.stage = Stage::kRunning;
      tensor.open_activities = 0;
      set_states(tensor, EventState::kStarted, model::kNoTime);
    }
  }

  void end(Tensor& tensor, std::int64_t time_ns) {
    if (tensor.stage == Stage::kNegotiating) {
      tensor.stage = Stage::kAgreed;
      agree(tensor);
    } else if (tensor.stage == Stage::kRunning && tensor.open_activities > 0) {
      --tensor.open_activities;
    } else if (tensor.stage == Stage::kRunning) {
      close(tensor, EventState::kCompleted, time_ns);
      if (tensor.set != kNoSet) note_completed(tensor);
    }
  }

  void note_completed(const Tensor& tensor) {
    std::optional<std::uint64_t>& last = last_completed_[tensor.set];
    last = std::max(last.value_or(0), tensor.number);
  }

  model::CollectiveId collective_named(std::string_view name) {
    const auto* const found = std::ranges::find(kTimelineOperations, name, &OperationName::name);
    model::Collective collective;
    if (found != std::end(kTimelineOperations)) {
      collective.operation = found->operation;
      collective.reduce_op = found->reduce_op;
    }
    return job_.collectives.intern(collective);
  }

  void announce(Tensor& tensor, std::string_view name, std::int64_t time_ns, std::string_view text) {
    const auto rank = base::number_in<int>(name);
    if (!rank || *rank < 0 || *rank >= kTimelineMaxRanks) return;
    position_ = lines_.line_of(text);
    add_event(tensor, *rank, time_ns);
  }

  void add_event(Tensor& tensor, int rank, std::int64_t begin_ns) {
    const auto [place, is_new] = rank_index_.try_emplace(rank, job_.ranks.size());
    if (is_new) {
      model::RankHistory& history = job_.ranks.emplace_back();
      history.rank.number = rank;
      history.sources = {model::SourceId{0}};
    }
    std::vector<Event>& events = job_.ranks[place->second].events;
    Event event;
    event.state = EventState::kIssued;
    event.sequence = tensor.number;
    event.collective = tensor.collective;
    event.name = tensor.name;
    event.begin_ns = begin_ns;
    event.source = model::SourceId{0};
    event.position = position_;
    tensor.announcements.push_back({.rank = place->second, .event = events.size()});
    events.push_back(event);
  }

  // The negotiation ended, so all who share the tensor have announced it. Without announcements the response
  // came from the cache: then they are those who announced it the last time.
  void agree(Tensor& tensor) {
    if (tensor.announcements.empty()) {
      ++cached_;
      return;
    }
    std::vector<int> ranks;
    for (const Announcement& one : tensor.announcements) ranks.push_back(job_.ranks[one.rank].rank.number);
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    tensor.set = set_index_.try_emplace(ranks, set_index_.size()).first->second;
    last_completed_.resize(set_index_.size());
  }

  Event& event_of(const Announcement& one) { return job_.ranks[one.rank].events[one.event]; }

  void set_states(const Tensor& tensor, EventState state, std::int64_t end_ns) {
    for (const Announcement& one : tensor.announcements) {
      event_of(one).state = state;
      event_of(one).end_ns = end_ns;
    }
  }

  void close(Tensor& tensor, EventState state, std::int64_t end_ns) {
    set_states(tensor, state, end_ns);
    for (const Announcement& one : tensor.announcements) {
      event_of(one).communicator = static_cast<model::CommunicatorId>(tensor.set);
    }
    tensor.announcements.clear();
    tensor.stage = Stage::kIdle;
  }

  // Horovod writes a record when the next one comes, so of a job that did not end the last one is missing: an
  // operation that only lacks its end is not known to hang.
  void close_unfinished() {
    std::vector<Tensor*> running;
    for (auto& [pid, tensor] : tensors_) {
      if (tensor.stage == Stage::kRunning) running.push_back(&tensor);
    }
    const bool may_lack_one =
        running.size() == 1 && running.front()->open_activities == 0 && running.front()->had_activity;
    for (auto& [pid, tensor] : tensors_) {
      if (tensor.stage == Stage::kNegotiating && tensor.announcements.empty()) ++unknown_negotiations_;
      if (tensor.stage == Stage::kNegotiating) close(tensor, EventState::kIssued, model::kNoTime);
      if (tensor.stage == Stage::kAgreed) close(tensor, EventState::kIssued, model::kNoTime);
      if (tensor.stage == Stage::kRunning) {
        close(tensor, may_lack_one ? EventState::kUntracked : EventState::kStarted, model::kNoTime);
      }
    }
  }

  // The largest set of ranks is the job; the others are process sets.
  void write_communicators() {
    const std::vector<int>* world = nullptr;
    for (const auto& [ranks, index] : set_index_) {
      if (world == nullptr || ranks.size() > world->size()) world = &ranks;
    }
    model::Communicator job_wide{
        .name = "horovod", .description = "", .backend = job_.backend, .members = {}, .size = std::nullopt};
    if (world != nullptr) {
      job_wide.members = *world;
      job_wide.size = static_cast<int>(world->size());
      if (world->back() + 1 == *job_wide.size) job_.world_size = job_wide.size;
    }
    if (job_.ranks.empty()) return;
    const model::CommunicatorId everyone = job_.communicators.intern(job_wide);
    std::vector<model::CommunicatorId> communicators(set_index_.size(), everyone);
    for (const auto& [ranks, index] : set_index_) {
      if (&ranks == world) continue;
      communicators[index] =
          job_.communicators.intern({.name = "horovod process set " + model::compress_ranks(ranks),
                                     .description = "",
                                     .backend = job_.backend,
                                     .members = ranks,
                                     .size = static_cast<int>(ranks.size())});
    }
    write_progress(communicators);
    for (model::RankHistory& history : job_.ranks) {
      for (Event& event : history.events) {
        const auto set = static_cast<std::size_t>(event.communicator);
        event.communicator = set < communicators.size() ? communicators[set] : everyone;
      }
    }
  }

  // How far each set of ranks got: the only word of operations that came from the cache.
  void write_progress(const std::vector<model::CommunicatorId>& communicators) {
    for (const auto& [ranks, index] : set_index_) {
      if (!last_completed_[index]) continue;
      for (const int rank : ranks) {
        job_.ranks[rank_index_.at(rank)].progress.push_back(
            {.communicator = communicators[index],
             .operation = Operation::kUnknown,
             .issued = std::nullopt,
             .started = std::nullopt,
             .completed = static_cast<std::int64_t>(*last_completed_[index]),
             .source = model::SourceId{0},
             .position = 0});
      }
    }
  }

  void note_backend(std::string_view activity) {
    if (!job_.backend.empty()) return;
    if (activity.starts_with("NCCL_")) job_.backend = "nccl";
    if (activity.starts_with("GLOO_")) job_.backend = "gloo";
    if (activity.starts_with("MPI_")) job_.backend = "mpi";
  }

  void say_limits() {
    const auto say = [&](const std::string& what) {
      job_.limits.push_back(fmt::format("{}: {}", source_.name, what));
    };
    if (tensors_.empty()) say("the timeline holds no tensors");
    const std::size_t broken = unreadable_ - (was_last_readable_ ? 0 : 1);
    if (broken > 0) say(fmt::format("{} records could not be read", broken));
    if (!was_last_readable_) say("cut in its last record");
    if (cached_ > 0) {
      say(fmt::format(
          "when each rank announced {} operations is not recorded, because Horovod had them in its "
          "cache; with HOROVOD_CACHE_CAPACITY=0 it records all",
          cached_));
    }
    if (unknown_negotiations_ > 0) {
      say(fmt::format("{} tensors wait for ranks, and it is not recorded for which", unknown_negotiations_));
    }
  }

  const Source& source_;
  base::LineCounter lines_;
  base::FastJsonParser parser_;
  model::Job job_;
  std::map<std::int64_t, Tensor> tensors_;  // by pid
  std::unordered_map<int, std::size_t> rank_index_;
  std::map<std::vector<int>, std::size_t> set_index_;
  std::int64_t start_us_ = 0;
  std::uint64_t negotiations_ = 0;
  std::uint32_t position_ = 0;
  std::size_t unreadable_ = 0;
  std::vector<std::optional<std::uint64_t>> last_completed_;  // the number, for each set of ranks
  std::size_t cached_ = 0;
  std::size_t unknown_negotiations_ = 0;
  bool was_last_readable_ = true;
};

}  // namespace

bool recognises_horovod_timeline(const Source& source) {
  const std::string_view head = base::trimmed(source.bytes.substr(0, kTimelineSniffBytes));
  if (!head.starts_with('[')) return false;
  const auto has = [&](std::string_view words) { return head.find(words) != std::string_view::npos; };
  return head == "[" || has(kNegotiate) || has("\"start_time_since_epoch_in_micros\"");
}

model::Job read_horovod_timeline(const Source& source) {
  return Timeline(source).read();
}

}  // namespace lockstep::readers
