#include "run/supervise/lost_hosts.h"

#include <utility>

namespace lockstep::supervise {
namespace {

// By then those who waited for it have failed or stand still.
constexpr std::chrono::seconds kSettles{2};

std::uint64_t calls_without(const watch::LiveJob& job, const std::set<int>& ranks) {
  std::uint64_t calls = 0;
  for (const watch::LiveRank* rank : job.ranks()) {
    if (!ranks.contains(rank->rank())) calls += rank->calls();
  }
  return calls;
}

}  // namespace

void LostHosts::add(std::string host, const std::vector<int>& ranks) {
  lost_.push_back({.host = std::move(host), .ranks = {ranks.begin(), ranks.end()}, .since = Clock::now()});
}

std::vector<std::string> LostHosts::left_behind(const watch::LiveJob& job) {
  std::vector<std::string> left;
  std::erase_if(lost_, [&](Lost& lost) {
    if (Clock::now() - lost.since < kSettles) return false;
    const std::uint64_t calls = calls_without(job, lost.ranks);
    if (!std::exchange(lost.is_settled, true)) lost.calls = calls;
    if (calls == lost.calls) return false;
    left.push_back(lost.host);
    return true;
  });
  return left;
}

}  // namespace lockstep::supervise
