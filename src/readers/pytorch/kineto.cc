#include "readers/pytorch/kineto.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "readers/pytorch/kineto_calls.h"
#include "readers/pytorch/kineto_entry.h"
#include "readers/rank_in_name.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kEvents = "traceEvents";

class TraceReader {
 public:
  TraceReader(const Source& source, std::string_view array, model::Job& job)
      : source_(source),
        head_(parse_trace_head(source.bytes.substr(0, source.bytes.size() - array.size()))),
        job_(job),
        calls_(head_, job),
        objects_(array) {}

  void read() {
    while (const auto object = objects_.next()) take(*object);
    model::RankHistory history;
    history.rank = rank();
    history.events = calls_.finish();
    history.begins_at_start = false;  // somebody switched the profiler on for a while
    history.lists_communicators = head_.lists_all_groups;
    if (head_.lists_all_groups) add_groups(history);
    history.sources = {static_cast<model::SourceId>(0)};
    describe_job(history);
    say_limits(history);
    job_.ranks.push_back(std::move(history));
  }

 private:
  void take(std::string_view object) {
    ++position_;
    bool must_parse = false;
    if (kind_by_name(object, must_parse) == EntryKind::kOther && !must_parse) return;
    auto json = parser_.parse(object);
    if (!json) json = parser_.parse(made_plain(object));
    if (!json) {
      ++unreadable_;
      return;
    }
    const auto entry = parse_entry(*json);
    if (!entry) return;
    const bool is_on_host = entry->kind != EntryKind::kKernel;
    if (is_on_host && entry->pid > 0 && !pid_) pid_ = entry->pid;
    calls_.take(*entry, position_);
  }

  model::Rank rank() {
    model::Rank rank;
    const RankInName name = rank_in_name(source_.path);
    rank.number = head_.rank.value_or(name.rank.value_or(model::kUnknownRank));
    if (!head_.rank && name.is_guess && pid_ == rank.number) rank.number = model::kUnknownRank;
    rank.pid = pid_;
    if (!head_.host.empty()) {
      job_.hosts.push_back({.name = head_.host, .clock_ahead_ns = std::nullopt});
      rank.host = 0;
    }
    return rank;
  }

  void add_groups(model::RankHistory& history) {
    for (const auto& [name, group] : head_.groups) {
      history.communicators.push_back(job_.communicators.intern(group));
    }
  }

  void describe_job(const model::RankHistory& history) {
    if (head_.is_kineto || !history.events.empty()) job_.framework = "pytorch";
    job_.backend = head_.backend;
    job_.world_size = head_.world_size;
  }

  void say_limits(const model::RankHistory& history) {
    if (!objects_.was_closed()) {
      job_.limits.push_back(fmt::format("{}: cut after {} entries", source_.name, position_));
    }
    if (unreadable_ != 0) {
      job_.limits.push_back(fmt::format("{}: {} entries could not be read", source_.name, unreadable_));
    }
    const auto is_collective = [](const model::Event& event) {
      return event.kind == model::EventKind::kCollective;
    };
    const auto is_unnumbered = [](const model::Event& event) {
      return event.kind != model::EventKind::kCollective || event.sequence == model::kNoSequence;
    };
    if (std::ranges::any_of(history.events, is_collective) &&
        std::ranges::all_of(history.events, is_unnumbered)) {
      job_.limits.push_back(fmt::format(
          "{}: its collectives are not numbered, so they cannot be matched with those of other ranks",
          source_.name));
    }
  }

  const Source& source_;
  const TraceHead head_;
  model::Job& job_;
  TraceCalls calls_;
  base::JsonObjects objects_;
  base::FastJsonParser parser_;
  std::uint32_t position_ = 0;
  std::uint64_t unreadable_ = 0;
  std::optional<std::int64_t> pid_;
};

}  // namespace

bool recognises_kineto(const Source& source) {
  constexpr std::size_t kHead = 64 * 1024;
  const std::string_view head = source.bytes.substr(0, kHead);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return false;
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\""));
}

model::Job read_kineto(const Source& source) {
  model::Job job;
  job.sources = {source.name};
  const std::string_view array = base::array_member(source.bytes, kEvents);
  if (array.empty()) {
    job.limits.push_back(fmt::format("{}: cut before its first event", source.name));
    return job;
  }
  TraceReader(source, array, job).read();
  return job;
}

}  // namespace lockstep::readers
