#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "model/merge.h"

namespace lockstep::model {
namespace {

// A group may have two backends that count apart.
struct GroupIdentity {
  std::string name;
  std::vector<int> members;
  std::string backend;

  auto operator<=>(const GroupIdentity&) const = default;
};

class Merging {
 public:
  explicit Merging(const std::vector<Job>& parts) : parts_(parts) {}

  MergedCommunicators run() {
    for (const Job& part : parts_) add_known(part);
    choose_identities();
    join_other_names();
    learn_members();
    number_them();
    return std::move(result_);
  }

 private:
  void add_known(const Job& part) {
    for (const RankHistory& history : part.ranks) {
      if (history.lists_communicators) lists_communicators_.insert(history.rank.number);
    }
    for (const Communicator& one : part.communicators.values()) {
      if (!one.members.empty()) members_of_[one.name].insert(one.members);
      if (!one.backend.empty()) backends_of_[one.name].insert(one.backend);
    }
  }

  // Ranks of `part` that use each of its communicators.
  static std::vector<std::set<int>> users_in(const Job& part) {
    std::vector<std::set<int>> users(part.communicators.size());
    for (const RankHistory& history : part.ranks) {
      CommunicatorId last = CommunicatorId::kNone;
      const auto use = [&](CommunicatorId id) {
        if (id == CommunicatorId::kNone || id == last) return;
        last = id;
        users.at(static_cast<std::size_t>(id)).insert(history.rank.number);
      };
      for (const CommunicatorId id : history.communicators) use(id);
      for (const Progress& progress : history.progress) use(progress.communicator);
      for (const Event& event : history.events) use(event.communicator);
    }
    return users;
  }

  GroupIdentity identity_of(const Communicator& one, const std::set<int>& users) const {
    return {.name = one.name, .members = members_of(one, users), .backend = backend_of(one)};
  }

  std::vector<int> members_of(const Communicator& one, const std::set<int>& users) const {
    const auto found = members_of_.find(one.name);
    if (!one.members.empty() || found == members_of_.end()) return one.members;
    std::vector<const std::vector<int>*> fitting;
    for (const std::vector<int>& members : found->second) {
      const bool has_all = std::ranges::all_of(
          users, [&](int rank) { return std::ranges::find(members, rank) != members.end(); });
      const bool has_size = !one.size || *one.size == static_cast<int>(members.size());
      if (has_all && has_size) fitting.push_back(&members);
    }
    return fitting.size() == 1 ? *fitting.front() : std::vector<int>{};
  }

  // A rank that never used the group does not know its backend; where the others agree on one, it is that.
  std::string backend_of(const Communicator& one) const {
    const auto found = backends_of_.find(one.name);
    const bool is_clear = one.backend.empty() && found != backends_of_.end() && found->second.size() == 1;
    return is_clear ? *found->second.begin() : one.backend;
  }

  void choose_identities() {
    identities_.resize(parts_.size());
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      const std::vector<std::set<int>> users = users_in(parts_[at]);
      for (std::size_t index = 0; index < users.size(); ++index) {
        const Communicator& one = parts_[at].communicators.values()[index];
        GroupIdentity identity = identity_of(one, users[index]);
        Merged& merged = merged_[identity];
        add(merged.communicator, one, identity);
        merged.users.insert(users[index].begin(), users[index].end());
        identities_[at].push_back(std::move(identity));
      }
    }
  }

  // One group may have another name on each rank, where names come from counters. Groups of the same ranks
  // are one when no rank has more than one of them, and every rank says which groups it has.
  void join_other_names() {
    std::map<std::pair<std::vector<int>, std::string>, std::vector<GroupIdentity>> by_members;
    for (const auto& [identity, merged] : merged_) {
      if (!identity.members.empty()) by_members[{identity.members, identity.backend}].push_back(identity);
    }
    for (const auto& [members, identities] : by_members) {
      if (identities.size() < 2 || !are_used_by_different_ranks(identities)) continue;
      for (std::size_t at = 1; at < identities.size(); ++at) {
        renamed_[identities[at]] = identities.front();
        merged_.erase(identities[at]);
      }
    }
  }

  bool are_used_by_different_ranks(const std::vector<GroupIdentity>& identities) const {
    std::set<int> seen;
    for (const GroupIdentity& identity : identities) {
      for (const int rank : merged_.at(identity).users) {
        if (!lists_communicators_.contains(rank) || !seen.insert(rank).second) return false;
      }
    }
    return true;
  }

  static void add(Communicator& to, const Communicator& from, const GroupIdentity& identity) {
    to.name = identity.name;
    to.members = identity.members;
    if (to.description.empty()) to.description = from.description;
    to.backend = identity.backend;
    if (!to.size) to.size = from.size;
    if (!to.members.empty()) to.size = static_cast<int>(to.members.size());
  }

  // A communicator as large as the job has everyone in it, and so has the framework's default one. Of any
  // other whose members nothing tells, those who used it are the ones that are known.
  void learn_members() {
    const int world_size = size_of_the_job();
    for (auto& [identity, merged] : merged_) {
      Communicator& one = merged.communicator;
      if (!one.members.empty()) continue;
      const bool has_everyone = one.size ? *one.size == world_size : one.description == "default_pg";
      std::vector<int> members(merged.users.begin(), merged.users.end());
      if (has_everyone) {
        members.resize(static_cast<std::size_t>(world_size));
        std::iota(members.begin(), members.end(), 0);
        one.size = world_size;
      }
      const bool is_contradictory = one.size && static_cast<int>(members.size()) > *one.size;
      if (!is_contradictory && !merged_.contains({identity.name, members, identity.backend}))
        one.members = std::move(members);
    }
  }

  int size_of_the_job() const {
    int size = 0;
    for (const Job& part : parts_) {
      size = std::max(size, part.world_size.value_or(0));
      for (const RankHistory& history : part.ranks) size = std::max(size, history.rank.number + 1);
    }
    return size;
  }

  void number_them() {
    std::map<GroupIdentity, CommunicatorId> ids;
    for (const auto& [identity, merged] : merged_) {
      ids[identity] = static_cast<CommunicatorId>(result_.all.size());
      result_.all.push_back(merged.communicator);
    }
    for (const auto& [other, identity] : renamed_) ids[other] = ids.at(identity);
    for (const std::vector<GroupIdentity>& identities : identities_) {
      std::vector<CommunicatorId>& of_part = result_.ids_by_part.emplace_back();
      for (const GroupIdentity& identity : identities) of_part.push_back(ids.at(identity));
    }
  }

  struct Merged {
    Communicator communicator;
    std::set<int> users;
  };

  const std::vector<Job>& parts_;
  std::map<std::string, std::set<std::vector<int>>> members_of_;
  std::map<std::string, std::set<std::string>> backends_of_;
  std::set<int> lists_communicators_;
  std::map<GroupIdentity, Merged> merged_;
  std::map<GroupIdentity, GroupIdentity> renamed_;
  std::vector<std::vector<GroupIdentity>> identities_;
  MergedCommunicators result_;
};

}  // namespace

MergedCommunicators merge_communicators(const std::vector<Job>& parts) {
  return Merging(parts).run();
}

}  // namespace lockstep::model
