// The same job told differently: other rank numbers, and everything interned in another order, as when its
// files are read in another order.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "model/job.h"

namespace lockstep::ranks::testing {

inline std::vector<std::size_t> shuffled(std::size_t count, std::uint32_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

// Where each value of the old table went in the new one.
template <typename Id, typename Table>
std::vector<Id> intern_in_other_order(const Table& from, Table& into, std::uint32_t seed, auto&& change) {
  std::vector<Id> ids(from.size());
  for (const std::size_t at : shuffled(from.size(), seed)) {
    auto value = from.values()[at];
    change(value);
    ids[at] = into.intern(value);
  }
  return ids;
}

// Rank r becomes `number_of[r]`; the numbers are those of the job, permuted.
inline model::Job relabel(const model::Job& job, const std::vector<int>& number_of, std::uint32_t seed) {
  model::Job other;
  other.world_size = job.world_size;
  other.checksums = job.checksums;
  other.stacks = job.stacks;
  other.names = job.names;
  const auto groups = intern_in_other_order<model::CommunicatorId>(
      job.communicators, other.communicators, seed, [&](model::Communicator& group) {
        for (int& member : group.members) member = number_of[static_cast<std::size_t>(member)];
      });
  const auto collectives =
      intern_in_other_order<model::CollectiveId>(job.collectives, other.collectives, seed + 1, [](auto&) {});
  const std::vector<std::size_t> host_at = shuffled(job.hosts.size(), seed + 2);
  other.hosts.resize(job.hosts.size());
  for (std::size_t at = 0; at < host_at.size(); ++at) other.hosts[host_at[at]] = job.hosts[at];
  const std::vector<std::size_t> source_at = shuffled(job.sources.size(), seed + 3);
  other.sources.resize(job.sources.size());
  for (std::size_t at = 0; at < source_at.size(); ++at) other.sources[source_at[at]] = job.sources[at];

  other.ranks = job.ranks;
  for (model::RankHistory& history : other.ranks) {
    history.rank.number = number_of[static_cast<std::size_t>(history.rank.number)];
    if (history.rank.host) {
      history.rank.host = static_cast<int>(host_at[static_cast<std::size_t>(*history.rank.host)]);
    }
    for (model::Event& event : history.events) {
      if (event.communicator != model::CommunicatorId::kNone) {
        event.communicator = groups[static_cast<std::size_t>(event.communicator)];
      }
      if (event.collective != model::CollectiveId::kNone) {
        event.collective = collectives[static_cast<std::size_t>(event.collective)];
      }
      if (event.source != model::SourceId::kNone) {
        event.source = static_cast<model::SourceId>(source_at[static_cast<std::size_t>(event.source)]);
      }
    }
  }
  std::ranges::sort(other.ranks, {}, [](const model::RankHistory& history) { return history.rank.number; });
  return other;
}

inline std::vector<int> same_numbers(int ranks) {
  std::vector<int> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

inline std::vector<int> other_numbers(int ranks, std::uint32_t seed) {
  std::vector<int> numbers = same_numbers(ranks);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(seed));
  return numbers;
}

// The ranks of a result in the numbers of the relabelled job, ascending.
inline std::vector<int> renumbered(std::vector<int> ranks, const std::vector<int>& number_of) {
  for (int& rank : ranks) rank = number_of[static_cast<std::size_t>(rank)];
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace lockstep::ranks::testing
