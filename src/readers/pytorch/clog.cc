// A signature stands once for all calls that equal it, and an event names only its signature: "C1|S" is the
// start of one of the calls of C1 that are under way. They run in the order in which they were enqueued, so
// it is the oldest that has not started.
#include "readers/pytorch/clog.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "model/collective.h"
#include "readers/pytorch/clog_signature.h"

namespace lockstep::readers {
namespace {

using model::CommunicatorId;
using model::Event;
using model::EventState;

constexpr int kClogMaxRanks = 1 << 20;
constexpr std::uint64_t kNoGraph = std::numeric_limits<std::uint64_t>::max();

struct Signature {
  model::CollectiveId collective = model::CollectiveId::kNone;
  CommunicatorId communicator = CommunicatorId::kNone;
  bool is_point_to_point = false;
};

struct Group {
  std::string name;
  std::optional<int> rank;  // of this process
  std::optional<int> size;
  std::vector<int> members;
  std::uint64_t issued = 0;  // collectives
};

// Events in the order in which they wait.
class Queue {
 public:
  bool empty() const { return first_ == events_.size(); }
  void push(std::size_t event) { events_.push_back(event); }
  std::size_t pop() {
    const std::size_t event = events_[first_++];
    if (first_ > events_.size() / 2) {
      events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return event;
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = first_; at < events_.size(); ++at) visit(events_[at]);
  }

 private:
  std::vector<std::size_t> events_;
  std::size_t first_ = 0;
};

// The calls of one signature, or of one replay of a graph, that are under way.
struct Calls {
  Queue issued;
  Queue started;
};

// Which line of which kind: "G42|R1|C3" is graph 42, replay 1, signature 3.
struct Address {
  std::uint64_t graph = kNoGraph;
  std::uint64_t replay = 0;
  std::uint64_t signature = 0;

  auto operator<=>(const Address&) const = default;
};

std::optional<std::int64_t> nanoseconds(std::string_view seconds) {
  constexpr double kLatest = 4e9;  // twice of it still fits in nanoseconds
  double value = 0;
  const auto [end, error] = std::from_chars(seconds.data(), seconds.data() + seconds.size(), value);
  if (error != std::errc{} || end != seconds.data() + seconds.size() || !(std::abs(value) < kLatest)) {
    return std::nullopt;
  }
  return std::llround(value * 1000) * 1'000'000;  // milliseconds is what the log holds
}

class Clog {
 public:
  explicit Clog(const Source& source) : source_(source) {
    job_.framework = "pytorch";
    job_.sources = {source.name};
    job_.ranks.resize(1);
    job_.ranks.front().sources = {model::SourceId{0}};
  }

  model::Job read() {
    base::Lines lines(source_.bytes);
    while (const auto line = lines.next()) {
      line_ = lines.number();
      was_cut_ = !lines.was_ended();
      if (!was_cut_ && !line->empty() && !add_line(*line)) ++unreadable_;
    }
    settle_states();
    write_communicators();
    say_limits();
    return std::move(job_);
  }

 private:
  std::vector<Event>& events() { return job_.ranks.front().events; }

  bool add_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view kind = take_clog_field(rest);
    if (kind == "V") return set_base(rest);
    if (kind == "new_comm") return add_communicator(rest);
    if (kind == "split") return add_split(rest);
    if (kind == "WARN") return add_warning(rest);
    Address address;
    std::string_view part = kind;
    while (const auto number =
               base::number_in<std::uint64_t>(part.substr(std::min<std::size_t>(1, part.size())))) {
      if (part.front() == 'C') {
        address.signature = *number;
        return add_step(address, rest);
      }
      if (part.front() == 'G') address.graph = *number;
      if (part.front() == 'R') address.replay = *number;
      if (part.front() != 'G' && part.front() != 'R') return false;
      part = take_clog_field(rest);
    }
    return false;
  }

  static std::string_view value_of(std::string_view fields, std::string_view key) {
    while (!fields.empty()) {
      const std::string_view field = take_clog_field(fields);
      if (field.starts_with(key)) return field.substr(key.size());
    }
    return {};
  }

  bool set_base(std::string_view fields) {
    if (const auto base = nanoseconds(value_of(fields, "base_timestamp="))) base_ns_ = *base;
    return true;
  }

  CommunicatorId communicator(std::string_view name) {
    const auto [place, is_new] = group_index_.try_emplace(std::string(name), groups_.size());
    if (is_new)
      groups_.push_back({.name = std::string(name), .rank = {}, .size = {}, .members = {}, .issued = 0});
    return static_cast<CommunicatorId>(place->second);
  }

  bool add_communicator(std::string_view fields) {
    const std::string_view name = value_of(fields, "comm=");
    const auto rank = base::number_in<int>(value_of(fields, "rank="));
    const auto size = base::number_in<int>(value_of(fields, "world_size="));
    if (!rank || !size || *rank < 0 || *rank >= *size || *size > kClogMaxRanks) return false;
    Group& group = groups_[static_cast<std::size_t>(communicator(name))];
    group.rank = rank;
    group.size = size;
    if (!world_ || *groups_[*world_].size < *size) world_ = group_index_.at(std::string(name));
    return true;
  }

  // Ranks of a split are those of its parent.
  bool add_split(std::string_view fields) {
    const std::vector<std::int64_t> ranks = clog_numbers(value_of(fields, "ranks="));
    const CommunicatorId parent = communicator(value_of(fields, "parent="));
    const CommunicatorId child = communicator(value_of(fields, "child="));
    splits_.push_back({.parent = parent, .child = child, .ranks = ranks});
    return true;
  }

  bool add_warning(std::string_view text) {
    if (warnings_++ == 0) first_warning_ = text.substr(0, 200);
    return true;
  }

  bool add_step(const Address& address, std::string_view rest) {
    const std::string_view step = take_clog_field(rest);
    if (step == "sig") return add_signature(address.signature, rest);
    const auto signature = signatures_.find(address.signature);
    const std::size_t plus = rest.rfind('+');
    const auto since = plus == std::string_view::npos ? std::nullopt : nanoseconds(rest.substr(plus + 1));
    if (signature == signatures_.end() || !since || step.size() != 1) return false;
    const std::int64_t time_ns = base_ns_ + *since;
    switch (step.front()) {
      case 'Q':
        enqueue(address, signature->second, time_ns);
        return true;
      case 'S':
        has_lifecycle_ = true;
        start(address, signature->second, time_ns);
        return true;
      case 'E':
        has_lifecycle_ = true;
        end(address, time_ns);
        return true;
      case 'W':
        return true;
      default:
        return false;
    }
  }

  bool add_signature(std::uint64_t id, std::string_view text) {
    const ClogSignature parsed = clog_signature(text);
    signatures_[id] = {.collective = job_.collectives.intern(parsed.collective),
                       .communicator = communicator(parsed.communicator),
                       .is_point_to_point = model::is_point_to_point(parsed.collective.operation)};
    return true;
  }

  std::size_t add_event(const Signature& signature, EventState state, std::int64_t time_ns) {
    Event event;
    event.kind =
        signature.is_point_to_point ? model::EventKind::kPointToPoint : model::EventKind::kCollective;
    event.state = state;
    event.communicator = signature.communicator;
    event.collective = signature.collective;
    event.begin_ns = time_ns;
    event.source = model::SourceId{0};
    event.position = line_;
    events().push_back(event);
    return events().size() - 1;
  }

  void enqueue(const Address& address, const Signature& signature, std::int64_t time_ns) {
    const std::size_t event = add_event(signature, EventState::kIssued, time_ns);
    Group& group = groups_[static_cast<std::size_t>(signature.communicator)];
    if (!signature.is_point_to_point) events()[event].sequence = ++group.issued;
    calls_[address].issued.push(event);
  }

  // A replay has no enqueue: it begins here, and its order among other operations is not known.
  void start(const Address& address, const Signature& signature, std::int64_t time_ns) {
    Calls& calls = calls_[address];
    if (address.replay != 0) {
      calls.started.push(add_event(signature, EventState::kStarted, time_ns));
    } else if (!calls.issued.empty()) {
      const std::size_t event = calls.issued.pop();
      events()[event].state = EventState::kStarted;
      calls.started.push(event);
    }
  }

  void end(const Address& address, std::int64_t time_ns) {
    const auto found = calls_.find(address);
    if (found == calls_.end()) return;
    Queue& from = found->second.started.empty() ? found->second.issued : found->second.started;
    if (from.empty()) return;
    Event& event = events()[from.pop()];
    event.state = EventState::kCompleted;
    event.end_ns = time_ns;
    if (found->second.started.empty() && found->second.issued.empty()) calls_.erase(found);
  }

  // Without lifecycle events, and while a graph is only captured, the log cannot tell how far a call got.
  void settle_states() {
    for (const auto& [address, calls] : calls_) {
      if (has_lifecycle_ && address.graph == kNoGraph) continue;
      calls.issued.for_each([&](std::size_t event) { events()[event].state = EventState::kUntracked; });
    }
  }

  void write_communicators() {
    if (world_) {
      Group& world = groups_[*world_];
      world.members.resize(static_cast<std::size_t>(*world.size));
      std::iota(world.members.begin(), world.members.end(), 0);
      job_.world_size = world.size;
      job_.ranks.front().rank.number = *world.rank;
    }
    for (const Split& split : splits_) set_members(split);
    for (const Group& group : groups_) {
      job_.communicators.intern({.name = group.name,
                                 .description = "",
                                 .backend = "",
                                 .members = group.members,
                                 .size = group.size});
    }
  }

  struct Split {
    CommunicatorId parent = CommunicatorId::kNone;
    CommunicatorId child = CommunicatorId::kNone;
    std::vector<std::int64_t> ranks;
  };

  void set_members(const Split& split) {
    const std::vector<int>& parents = groups_[static_cast<std::size_t>(split.parent)].members;
    std::vector<int> members;
    for (const std::int64_t rank : split.ranks) {
      const bool is_known = rank >= 0 && std::cmp_less(rank, parents.size());
      if (is_known) members.push_back(parents[static_cast<std::size_t>(rank)]);
    }
    Group& child = groups_[static_cast<std::size_t>(split.child)];
    child.size = static_cast<int>(split.ranks.size());
    child.members = members.size() == split.ranks.size() ? std::move(members) : std::vector<int>();
  }

  void say_limits() {
    const auto say = [&](const std::string& what) {
      job_.limits.push_back(fmt::format("{}: {}", source_.name, what));
    };
    if (!world_) say("names no communicator, so the rank is not known");
    if (unreadable_ > 0) say(fmt::format("{} lines could not be read", unreadable_));
    if (was_cut_) say(fmt::format("cut in line {}", line_));
    if (warnings_ > 0) say(fmt::format("its writer warns {} times, first: {}", warnings_, first_warning_));
    if (!has_lifecycle_ && !events().empty()) say("tells what was enqueued, not what started or ended");
  }

  const Source& source_;
  model::Job job_;
  std::uint32_t line_ = 0;
  std::int64_t base_ns_ = 0;
  std::unordered_map<std::uint64_t, Signature> signatures_;
  std::vector<Group> groups_;  // by CommunicatorId
  std::unordered_map<std::string, std::size_t> group_index_;
  std::optional<std::size_t> world_;
  std::vector<Split> splits_;
  std::map<Address, Calls> calls_;
  bool has_lifecycle_ = false;
  bool was_cut_ = false;
  std::size_t unreadable_ = 0;
  std::size_t warnings_ = 0;
  std::string_view first_warning_;
};

}  // namespace

bool recognises_clog(const Source& source) {
  return source.bytes.starts_with("V|1|base_timestamp=");
}

model::Job read_clog(const Source& source) {
  return Clog(source).read();
}

}  // namespace lockstep::readers
