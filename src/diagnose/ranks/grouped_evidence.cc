#include "diagnose/ranks/grouped_evidence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"

namespace lockstep::ranks {
namespace {

struct Group {
  EventPlace first;
  std::vector<int> ranks;
};

std::vector<Group> groups_of(const model::Job& job, std::span<const EventPlace> places) {
  using Key = std::tuple<model::CommunicatorId, std::uint64_t, model::CollectiveId, model::NameId,
                         model::EventState, model::StackId>;
  std::map<Key, Group> by_key;
  for (const EventPlace place : places) {
    const model::Event& event = event_at(job, place);
    const Key key{event.communicator, event.sequence, event.collective, event.name, event.state, event.stack};
    const auto [found, is_new] = by_key.try_emplace(key, Group{.first = place, .ranks = {}});
    found->second.ranks.push_back(job.ranks[place.rank].rank.number);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, [](const Group& left, const Group& right) {
    if (left.ranks.size() != right.ranks.size()) return left.ranks.size() > right.ranks.size();
    return left.ranks.front() < right.ranks.front();
  });
  return groups;
}

}  // namespace

std::vector<model::Evidence> grouped_evidence(const model::Job& job, std::span<const EventPlace> places,
                                              std::size_t most) {
  const std::vector<Group> groups = groups_of(job, places);
  std::vector<model::Evidence> all;
  for (std::size_t at = 0; at < groups.size() && at < most; ++at) {
    model::Evidence evidence = evidence_of(job, groups[at].first);
    if (groups[at].ranks.size() > 1) {
      evidence.text = fmt::format("{}: {}", ranks_in_words(groups[at].ranks), evidence.text);
    }
    const bool is_last = at + 1 == most && groups.size() > most;
    if (is_last) evidence.text += fmt::format(" (and {} more kinds of waiting)", groups.size() - most);
    all.push_back(std::move(evidence));
  }
  return all;
}

}  // namespace lockstep::ranks
