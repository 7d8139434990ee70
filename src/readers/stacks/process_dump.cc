#include "readers/stacks/process_dump.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "readers/local_rank.h"
#include "readers/rank_in_name.h"

namespace lockstep::readers {
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

}  // namespace lockstep::readers
