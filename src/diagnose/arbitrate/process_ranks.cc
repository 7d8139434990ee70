#include "diagnose/arbitrate/process_ranks.h"

#include <set>

#include "run/evidence/process_facts.h"

namespace lockstep::diagnose {
namespace {

using evidence::Doing;

// Where one process writes the logs of one rank alone, it is that rank, whatever its variables say.
RankByProcess ranks_by_log(std::span<const LogPlace> logs, std::span<const evidence::WrittenLog> written) {
  std::map<pid_t, std::set<int>> ranks;
  for (const evidence::WrittenLog& log : written) {
    for (const pid_t writer : log.writers) {
      if (logs[log.log].rank) ranks[writer].insert(*logs[log.log].rank);
    }
  }
  RankByProcess only;
  for (const auto& [pid, of_process] : ranks) {
    if (of_process.size() == 1) only[pid] = *of_process.begin();
  }
  return only;
}

}  // namespace

RankByProcess ranks_of(const process::Roots& roots, std::span<const LogPlace> logs,
                       std::span<const evidence::WrittenLog> written,
                       std::span<const evidence::Activity> activities) {
  const RankByProcess by_log = ranks_by_log(logs, written);
  RankByProcess ranks;
  for (const evidence::Activity& one : activities) {
    const auto told = evidence::rank_of_process(roots, one.pid);
    const auto known = by_log.find(one.pid);
    if (known != by_log.end()) {
      ranks[one.pid] = known->second;
    } else if (told) {
      ranks[one.pid] = *told;
    }
  }
  return ranks;
}

std::optional<int> odd_one_in(const RankByProcess& rank_of, std::span<const evidence::Activity> activities) {
  std::map<std::optional<long>, std::set<int>> ranks;  // by system call; none: they ask
  std::set<int> all;
  for (const evidence::Activity& one : activities) {
    const auto rank = rank_of.find(one.pid);
    // Helpers that a rank started have its variables too, and younger numbers.
    if (rank == rank_of.end() || !all.insert(rank->second).second) continue;
    ranks[one.doing == Doing::kWaits ? one.waits_in : std::nullopt].insert(rank->second);
  }
  constexpr std::size_t kFewest = 3;
  if (ranks.size() != 2 || all.size() < kFewest) return std::nullopt;
  for (const auto& [waits_in, those] : ranks) {
    if (those.size() == 1 && waits_in) return *those.begin();
  }
  return std::nullopt;
}

}  // namespace lockstep::diagnose
