#include "readers/stacks/process_dump.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/lines.h"
#include "readers/rank_in_name.h"
#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kFile = "File \"";
constexpr std::string_view kLine = "\", line ";

}  // namespace

std::optional<model::Frame> parse_python_frame(std::string_view text) {
  if (!text.starts_with(kFile)) return std::nullopt;
  const std::size_t line_at = text.rfind(kLine);
  if (line_at == std::string_view::npos || line_at < kFile.size()) return std::nullopt;
  model::Frame frame;
  frame.file = text.substr(kFile.size(), line_at - kFile.size());
  std::string_view rest = text.substr(line_at + kLine.size());
  if (rest.starts_with("???")) {  // faulthandler, when the interpreter does not know
    rest.remove_prefix(3);
  } else if (const auto number = take_number<int>(rest)) {
    frame.line = *number;
  } else {
    return std::nullopt;
  }
  if (rest.starts_with(',')) rest.remove_prefix(1);
  if (!rest.starts_with(" in ")) return std::nullopt;
  frame.function = rest.substr(4);
  return frame;
}

model::Stack last_traceback(std::string_view text) {
  constexpr std::string_view kHead = "Traceback (most recent call last):";
  const std::size_t head = text.rfind(kHead);
  if (head != std::string_view::npos) text = text.substr(head + kHead.size());
  model::Stack stack;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t begin = line->find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    if (auto frame = parse_python_frame(line->substr(begin))) stack.push_back(std::move(*frame));
  }
  std::ranges::reverse(stack);
  return stack;
}

namespace {

using ProcessKey = std::tuple<model::LineOrigin, std::optional<std::int64_t>>;

ProcessKey key_of(const ProcessDump& dump) {
  return {dump.origin, dump.pid};
}

int host_index(model::Job& job, const std::string& name) {
  const auto place = std::ranges::find(job.hosts, name, &model::Host::name);
  if (place != job.hosts.end()) return static_cast<int>(place - job.hosts.begin());
  job.hosts.push_back({.name = name, .clock_ahead_ns = std::nullopt});
  return static_cast<int>(job.hosts.size() - 1);
}

// A number at the end of a name may be the pid that a person gave it.
bool names_a_pid(const RankInName& name, const std::vector<ProcessDump>& dumps) {
  return name.is_guess && std::ranges::any_of(dumps, [&](const ProcessDump& dump) {
           return dump.pid && *dump.pid == *name.rank;
         });
}

bool is_of_one_process(const std::vector<ProcessDump>& dumps) {
  return std::ranges::all_of(dumps,
                             [&](const ProcessDump& dump) { return key_of(dump) == key_of(dumps.front()); });
}

void take_name(const RankInName& name, model::Rank& rank, model::Job& job) {
  if (rank.number == model::kUnknownRank && name.rank) rank.number = *name.rank;
  if (!rank.local_rank) rank.local_rank = name.local_rank;
  rank.restart = name.restart.value_or(rank.restart);
  if (!rank.host && !name.host.empty()) rank.host = host_index(job, name.host);
}

model::Rank rank_of(const ProcessDump& dump, model::Job& job) {
  model::Rank rank;
  rank.number = dump.origin.rank.value_or(model::kUnknownRank);
  rank.local_rank = dump.origin.local_rank;
  rank.pid = dump.pid;
  if (!dump.host.empty()) rank.host = host_index(job, dump.host);
  return rank;
}

void add_dump(ProcessDump& dump, model::RankHistory& history, model::Job& job) {
  for (ThreadDump& thread : dump.threads) {
    model::StackSnapshot snapshot;
    snapshot.thread_name = std::move(thread.name);
    if (!thread.frames.empty()) snapshot.stack = job.stacks.intern(thread.frames);
    snapshot.is_main = thread.is_main;
    snapshot.holds_lock = thread.holds_lock;
    snapshot.source = static_cast<model::SourceId>(0);
    snapshot.position = thread.position;
    history.snapshots.push_back(std::move(snapshot));
  }
  if (!dump.failure.empty()) {
    model::Failure failure;
    failure.message = std::move(dump.failure);
    if (!dump.failed_stack.empty()) failure.stack = job.stacks.intern(dump.failed_stack);
    failure.source = static_cast<model::SourceId>(0);
    failure.position = dump.position;
    history.failures.push_back(std::move(failure));
  }
  if (dump.signal) {
    history.rank.end = model::RankEnd::kSignalled;
    history.rank.exit_status = dump.signal;
  }
}

void add_dumps(const Source& source, std::vector<ProcessDump> dumps, model::Job& job) {
  const RankInName name = rank_in_name(source.path);
  const bool name_tells = is_of_one_process(dumps) && !names_a_pid(name, dumps);
  std::map<ProcessKey, std::size_t> place_of;
  for (ProcessDump& dump : dumps) {
    const auto [place, is_new] = place_of.try_emplace(key_of(dump), job.ranks.size());
    if (is_new) {
      model::RankHistory history;
      history.rank = rank_of(dump, job);
      if (name_tells) take_name(name, history.rank, job);
      if (!history.rank.pid) number_by_local_rank(source, history.rank, job);
      history.sources = {static_cast<model::SourceId>(0)};
      job.ranks.push_back(std::move(history));
    }
    add_dump(dump, job.ranks[place->second], job);
  }
  const bool is_lost = std::ranges::any_of(job.ranks, [](const model::RankHistory& history) {
    return history.rank.number == model::kUnknownRank && !history.rank.pid;
  });
  if (is_lost) {
    job.limits.push_back(fmt::format("{}: nothing tells which rank this stack dump is of", source.name));
  }
}

}  // namespace

model::Job job_of_dumps(const Source& source, std::vector<ProcessDump> dumps) {
  model::Job job;
  job.sources = {source.name};
  if (dumps.empty()) {
    job.limits.push_back(fmt::format("{}: cut before its first whole thread", source.name));
  } else {
    add_dumps(source, std::move(dumps), job);
  }
  return job;
}

bool is_launcher_command(std::string_view command_line) {
  constexpr std::array<std::string_view, 6> kLaunchers = {
      "torch.distributed.run", "torch.distributed.launch", "torchrun",
      "accelerate launch",     "deepspeed.launcher",       "horovodrun"};
  return std::ranges::any_of(kLaunchers, [&](std::string_view launcher) {
    return command_line.find(launcher) != std::string_view::npos;
  });
}

std::vector<ProcessDump> only_ranks(std::vector<FamilyMember> family) {
  std::set<std::int64_t> rank_pids;
  for (const FamilyMember& member : family) {
    if (!member.is_launcher && member.dump.pid) rank_pids.insert(*member.dump.pid);
  }
  std::vector<ProcessDump> ranks;
  for (FamilyMember& member : family) {
    const bool is_child_of_a_rank = member.parent && rank_pids.count(*member.parent) != 0;
    if (!member.is_launcher && !is_child_of_a_rank) ranks.push_back(std::move(member.dump));
  }
  return ranks;
}

namespace {

// "node-b" of "http://node-b:25999" and "http://[::1]:25999"
std::string host_of_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url = url.substr(scheme + 3);
  url = url.substr(0, url.find('/'));
  if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
  return std::string(url.substr(0, url.rfind(':')));
}

}  // namespace

std::optional<DumpSection> parse_section_head(std::string_view line) {
  constexpr std::string_view kHead = "=== Rank ";
  constexpr std::string_view kTail = " ===";
  if (!line.starts_with(kHead) || !line.ends_with(kTail)) return std::nullopt;
  std::string_view rest = line.substr(kHead.size(), line.size() - kHead.size() - kTail.size());
  const std::optional<int> rank = take_number<int>(rest);
  if (!rank || *rank < 0 || !rest.starts_with(": ")) return std::nullopt;
  return DumpSection{.number = 0, .rank = rank, .host = host_of_url(rest.substr(2))};
}

bool is_section_error(std::string_view line) {
  return line.starts_with("Error: ");
}

void add_section_limit(const Source& source, const DumpSection& section, std::string_view error,
                       std::vector<std::string>& limits) {
  constexpr std::size_t kLongest = 200;
  limits.push_back(
      fmt::format("{}: rank {} gave no stacks ({})", source.name, *section.rank, error.substr(0, kLongest)));
}

}  // namespace lockstep::readers
