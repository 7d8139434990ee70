#include "groups.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep::pytorch {
namespace {

constexpr std::size_t kMostChannels = 512;

// Everything by which a group is defined, kept to define its channels.
class KnownGroup {
 public:
  KnownGroup() = default;
  explicit KnownGroup(const lockstep_communicator_facts& facts)
      : name_(text_of(facts.name)),
        description_(text_of(facts.description)),
        backend_(text_of(facts.backend)),
        rank_in_it_(facts.rank_in_it),
        member_count_(facts.member_count) {
    if (facts.members != nullptr) members_.assign(facts.members, facts.members + facts.member_count);
    recording_ = lockstep_is_recording();
    communicator_ = define(name_);
  }

  // Ids belong to one recording: a forked child that becomes a rank asks anew.
  bool is_current() const { return recording_ != 0 && recording_ == lockstep_is_recording(); }
  std::uint32_t communicator() const { return communicator_; }

  std::uint32_t channel(std::int64_t tag) {
    const auto known = channels_.find(tag);
    if (known != channels_.end()) return known->second;
    if (channels_.size() == kMostChannels) return 0;
    return channels_[tag] = define(name_ + " tag " + std::to_string(tag));
  }

 private:
  static std::string text_of(const char* text) { return text == nullptr ? "" : text; }

  std::uint32_t define(const std::string& name) const {
    lockstep_communicator_facts facts{};
    facts.size = sizeof facts;
    facts.member_count = member_count_;
    facts.members = members_.empty() ? nullptr : members_.data();
    facts.rank_in_it = rank_in_it_;
    facts.name = name.c_str();
    facts.description = description_.c_str();
    facts.backend = backend_.c_str();
    return lockstep_define_communicator(&facts);
  }

  std::string name_;
  std::string description_;
  std::string backend_;
  std::vector<std::int32_t> members_;
  std::int32_t rank_in_it_ = -1;
  std::uint32_t member_count_ = 0;
  int recording_ = 0;
  std::uint32_t communicator_ = 0;
  std::unordered_map<std::int64_t, std::uint32_t> channels_;
};

// Never destroyed: threads may still issue operations while the process exits.
struct KnownGroups {
  std::mutex mutex;
  std::unordered_map<const void*, KnownGroup> by_address;
};
KnownGroups& known_groups() {
  static KnownGroups* const groups = new KnownGroups;
  return *groups;
}

std::string name_of(const c10d::ProcessGroup& group) {
#ifdef LOCKSTEP_HAS_getGroupName
  return group.getGroupName();
#else
  return "process group of " + std::to_string(group.getSize());
#endif
}

KnownGroup by_itself(const c10d::ProcessGroup& group) {
  const std::string name = name_of(group);
  lockstep_communicator_facts facts{};
  facts.member_count = static_cast<std::uint32_t>(group.getSize());
  facts.rank_in_it = group.getRank();
  facts.name = name.c_str();
  return KnownGroup(facts);
}

KnownGroup& known(const c10d::ProcessGroup& group) {
  KnownGroup& found = known_groups().by_address[&group];
  if (!found.is_current()) found = by_itself(group);
  return found;
}

}  // namespace

void remember_group(const void* group, const lockstep_communicator_facts& facts) {
  const std::lock_guard<std::mutex> lock(known_groups().mutex);
  known_groups().by_address[group] = KnownGroup(facts);
}

std::uint32_t communicator_of(const c10d::ProcessGroup& group) {
  const std::lock_guard<std::mutex> lock(known_groups().mutex);
  return known(group).communicator();
}

std::uint32_t channel_of(const c10d::ProcessGroup& group, std::int64_t tag) {
  const std::lock_guard<std::mutex> lock(known_groups().mutex);
  return known(group).channel(tag);
}

}  // namespace lockstep::pytorch
