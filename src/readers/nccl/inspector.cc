#include "readers/nccl/inspector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/lines.h"
#include "readers/nccl/roster.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {
namespace {

using base::FastJson;
using base::integer_member;
using base::member;
using base::string_member;
using model::CommunicatorId;
using model::Event;
using model::Operation;

constexpr std::size_t kInspectorSniffBytes = 65536;
constexpr std::size_t kInspectorLongestLine = 1 << 20;  // a parsed line takes ten times its length
constexpr std::size_t kOperationNumbers = 32;           // room above those of the vocabulary
// Far above the opCounts of a log of the same communicator, which count otherwise; and a person can still
// read the coll_sn in it.
constexpr std::uint64_t kSerials = 1'000'000'000'000;
constexpr std::int64_t kInspectorMicrosecond = 1000;
constexpr model::SourceId kInspectorThisSource{0};

// The numbers seen of one kind of operation. Those between the lowest and the highest that were not seen were
// overwritten in the plugin's ring, or were too small to be recorded.
struct Serials {
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest = 0;
  std::uint64_t seen = 0;

  std::uint64_t lost() const {
    const std::uint64_t span = seen == 0 ? 0 : highest - lowest + 1;
    return span > seen ? span - seen : 0;
  }
};

// One rank in one communicator.
struct Member {
  Roster::Process process = 0;
  CommunicatorId communicator = CommunicatorId::kNone;
  std::array<Serials, kOperationNumbers> serials;
};

struct Header {
  std::string communicator;
  std::string host;
  std::int64_t pid = 0;
  int rank = -1;
  int ranks = 0;

  bool operator==(const Header&) const = default;
};

// The names of the same facts in the two kinds of record.
struct Keys {
  std::string_view operation, serial, bytes, microseconds, start;
};
constexpr Keys kCollectiveKeys = {"coll", "coll_sn", "coll_msg_size_bytes", "coll_exec_time_us",
                                  "coll_start_ts"};
constexpr Keys kPointToPointKeys = {"p2p", "p2p_sn", "p2p_msg_size_bytes", "p2p_exec_time_us",
                                    "p2p_start_ts"};

std::int64_t nanoseconds(double microseconds) {
  constexpr double kLongest = 1e15;  // thirty years
  return microseconds >= 0 && microseconds < kLongest ? std::llround(microseconds * 1000) : 0;
}

class InspectorLog {
 public:
  explicit InspectorLog(const Source& source) : source_(source) {}

  model::Job read() {
    base::Lines lines(source_.bytes);
    while (const auto line = lines.next()) {
      if (line->empty()) continue;
      line_ = lines.number();
      const auto record = line->size() <= kInspectorLongestLine ? parser_.parse(*line) : std::nullopt;
      if (record) {
        add_record(*record);
      } else if (lines.was_ended()) {
        ++unreadable_;
      } else {
        was_cut_ = true;
      }
    }
    return finish();
  }

 private:
  void add_record(FastJson record) {
    // Since 4.3 one marker names the communicator and the operations follow without.
    if (const auto header = member(record, "header")) set_member(*header, member(record, "metadata"));
    const auto collective = member(record, "coll_perf");
    const auto point_to_point = collective ? std::nullopt : member(record, "p2p_perf");
    if (!collective && !point_to_point) return;
    if (member_ == members_.size()) {
      ++unreadable_;
    } else if (collective) {
      add_operation(*collective, kCollectiveKeys);
    } else {
      add_operation(*point_to_point, kPointToPointKeys);
    }
  }

  void set_member(FastJson header, std::optional<FastJson> metadata) {
    const auto id = string_member(header, "id");
    const auto rank = integer_member(header, "rank");
    const auto ranks = integer_member(header, "n_ranks");
    const auto host = metadata ? string_member(*metadata, "hostname") : std::nullopt;
    const auto pid = metadata ? integer_member(*metadata, "pid") : std::nullopt;
    const bool is_known = id && rank && ranks && host && pid && *rank >= 0 && *rank < *ranks &&
                          *ranks <= std::numeric_limits<int>::max();
    if (!is_known) {
      member_ = members_.size();
      return;
    }
    if (member_ < members_.size() && header_.communicator == *id && header_.rank == *rank &&
        header_.pid == *pid && header_.host == *host) {
      return;
    }
    header_ = {.communicator = std::string(*id),
               .host = std::string(*host),
               .pid = *pid,
               .rank = static_cast<int>(*rank),
               .ranks = static_cast<int>(*ranks)};
    member_ = find_member();
  }

  std::size_t find_member() {
    const CommunicatorId communicator =
        roster_.communicator(nccl_communicator_name(header_.communicator), header_.ranks);
    const auto [place, is_new] = member_index_.try_emplace({communicator, header_.rank}, members_.size());
    if (!is_new) return place->second;
    Roster::Process process = roster_.process(header_.host, header_.pid, 0);
    // A second rank of one process has a device of its own; which one is not said.
    if (!joined_.emplace(communicator, process).second) {
      process = roster_.process(header_.host, header_.pid, header_.rank + 1);
    }
    roster_.join(communicator, header_.rank, process);
    members_.push_back({.process = process, .communicator = communicator, .serials = {}});
    return place->second;
  }

  void add_operation(FastJson record, const Keys& keys) {
    const auto name = string_member(record, keys.operation);
    const auto serial = integer_member(record, keys.serial);
    if (!name || !serial || *serial < 0) {
      ++unreadable_;
      return;
    }
    const Operation operation = nccl_operation(*name);
    const bool is_collective = &keys == &kCollectiveKeys;
    Member& member = members_[member_];
    Event event;
    event.kind = is_collective ? model::EventKind::kCollective : model::EventKind::kPointToPoint;
    event.state = model::EventState::kCompleted;
    event.communicator = member.communicator;
    event.collective = collective_of(operation, record, keys);
    event.source = kInspectorThisSource;
    event.position = line_;
    set_times(event, record, keys);
    if (is_collective) {
      const auto number = static_cast<std::uint64_t>(*serial);
      event.sequence = inspector_sequence(operation, number);
      Serials& serials = member.serials[static_cast<std::size_t>(operation) % kOperationNumbers];
      serials.lowest = std::min(serials.lowest, number);
      serials.highest = std::max(serials.highest, number);
      ++serials.seen;
    }
    roster_.history(member.process).events.push_back(event);
  }

  // Bytes are all it knows of the arguments.
  model::CollectiveId collective_of(Operation operation, FastJson record, const Keys& keys) {
    const std::int64_t bytes = integer_member(record, keys.bytes).value_or(-1);
    const std::int64_t peer = integer_member(record, "p2p_peer").value_or(-1);
    const auto [place, is_new] =
        collective_index_.try_emplace({operation, bytes, peer}, model::CollectiveId::kNone);
    if (!is_new) return place->second;
    model::Collective collective;
    collective.operation = operation;
    if (bytes >= 0) {
      collective.input_types = {model::DataType::kUInt8};
      collective.input_shapes = {{bytes}};
    }
    if (peer >= 0 && peer <= std::numeric_limits<int>::max()) collective.peer = static_cast<int>(peer);
    return place->second = collectives_.intern(collective);
  }

  // The verbose form tells when the operation was enqueued and when the last channel's kernel ended; the
  // short one how long it took.
  static void set_times(Event& event, FastJson record, const Keys& keys) {
    const std::int64_t duration = nanoseconds(base::number_member(record, keys.microseconds).value_or(0));
    const auto trace = member(record, "event_trace_ts");
    const auto start = trace ? integer_member(*trace, keys.start) : std::nullopt;
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / (2 * kInspectorMicrosecond);
    if (!start || *start <= 0 || *start > kLatest) {
      event.only_duration = true;
      event.begin_ns = 0;
      event.end_ns = duration;
      return;
    }
    event.begin_ns = *start * kInspectorMicrosecond;
    event.end_ns = event.begin_ns + duration;
    const auto kernels = member(*trace, "kernel_events");
    simdjson::dom::array channels;
    if (!kernels || kernels->get(channels) != simdjson::SUCCESS) return;
    for (const FastJson channel : channels) {
      const auto stop = integer_member(channel, "kernel_stop_ts");
      if (stop && *stop > 0 && *stop <= kLatest)
        event.end_ns = std::max(event.end_ns, *stop * kInspectorMicrosecond);
    }
  }

  std::uint64_t write_progress() {
    std::uint64_t lost = 0;
    for (const Member& member : members_) {
      model::RankHistory& history = roster_.history(member.process);
      for (std::size_t operation = 0; operation < kOperationNumbers; ++operation) {
        const Serials& serials = member.serials[operation];
        if (serials.seen == 0) continue;
        history.events_lost += serials.lost();
        lost += serials.lost();
        if (serials.lowest > 1) history.begins_at_start = false;
        history.progress.push_back({.communicator = member.communicator,
                                    .operation = static_cast<Operation>(operation),
                                    .issued = std::nullopt,
                                    .started = std::nullopt,
                                    .completed = static_cast<std::int64_t>(serials.highest),
                                    .source = kInspectorThisSource,
                                    .position = 0});
      }
    }
    return lost;
  }

  model::Job finish() {
    const std::uint64_t lost = write_progress();
    model::Job job = roster_.finish(source_, roster_.numbers_by_largest());
    job.collectives = std::move(collectives_);
    if (lost > 0) {
      job.limits.push_back(
          fmt::format("{}: {} operations were not recorded (gaps in coll_sn)", source_.name, lost));
    }
    if (unreadable_ > 0) {
      job.limits.push_back(fmt::format("{}: {} lines could not be read", source_.name, unreadable_));
    }
    if (was_cut_) job.limits.push_back(fmt::format("{}: cut in line {}", source_.name, line_));
    return job;
  }

  const Source& source_;
  base::FastJsonParser parser_;
  Roster roster_;
  Header header_;
  std::vector<Member> members_;
  std::size_t member_ = 0;  // the one whose operations follow; members_.size(): none
  std::map<std::pair<CommunicatorId, int>, std::size_t> member_index_;
  std::set<std::pair<CommunicatorId, Roster::Process>> joined_;
  decltype(model::Job::collectives) collectives_;
  std::map<std::tuple<Operation, std::int64_t, std::int64_t>, model::CollectiveId> collective_index_;
  std::uint32_t line_ = 0;
  std::size_t unreadable_ = 0;
  bool was_cut_ = false;
};

}  // namespace

std::uint64_t inspector_sequence(Operation operation, std::uint64_t serial) {
  return static_cast<std::uint64_t>(operation) * kSerials + serial;
}

bool recognises_nccl_inspector(const Source& source) {
  const std::string_view head = source.bytes.substr(0, kInspectorSniffBytes);
  if (!head.starts_with('{')) return false;
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return has("\"inspector_output_format_version\"") ||
         (has("\"header\"") && (has("\"coll_perf\"") || has("\"p2p_perf\"")));
}

model::Job read_nccl_inspector(const Source& source) {
  return InspectorLog(source).read();
}

}  // namespace lockstep::readers
