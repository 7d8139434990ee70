#include "groups.h"

#include <algorithm>
#include <mutex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "lockstep/recorder.h"

namespace lockstep::tensorflow_adapter {
namespace {

// Where TensorFlow begins to count (INSTANCE_KEY_START_NUMBER); a smaller one was chosen by the program.
constexpr std::int32_t kFirstKey = 100;
constexpr std::size_t kMostKeysKept = 4096;
constexpr std::size_t kMostRepeatedKeys = 512;

struct Cluster {
  std::vector<std::string> tasks;
  std::uint32_t collective_tasks = 0;

  std::int32_t rank_of(const std::string& task) const {
    const auto found = std::find(tasks.begin(), tasks.end(), task);
    return found == tasks.end() ? -1 : static_cast<std::int32_t>(found - tasks.begin());
  }
};

std::string backend_of(const tensorflow::CollectiveParams& params) {
  const std::string& hint = params.instance.impl_details.communication_hint;
  return hint.empty() || hint == "auto" ? "grpc" : hint;
}

class Group {
 public:
  // Not usable while it is not known which ranks it has.
  bool is_usable() const { return communicator_ != 0 && recording_ == lockstep_is_recording(); }

  void define(const Cluster& cluster, const tensorflow::CollectiveParams& params, const std::string& device) {
    const std::vector<std::int32_t> members = members_of(cluster, params.group);
    if (members.empty()) return;
    name_ = std::to_string(params.group.group_key);
    backend_ = backend_of(params);
    members_ = members;
    device_ = device;
    recording_ = lockstep_is_recording();
    communicator_ = define_communicator(name_);
  }

  Meeting next(std::int32_t key, const std::string& device) {
    if (device != device_) return {};
    Key& place = place_of(key);
    const bool is_new = !place.has_run || place.key != key;
    if (is_new) place = Key{key, true, false};
    if (!is_new || key < kFirstKey) return {repeated(key, place.is_ordered), 0};
    return {communicator_, static_cast<std::uint64_t>(key - kFirstKey + 1)};
  }

  void note_ordered(std::int32_t key) {
    Key& place = place_of(key);
    if (place.key == key) place.is_ordered = true;
  }

 private:
  struct Key {
    std::int32_t key = 0;
    bool has_run = false;
    bool is_ordered = false;
  };

  // One place and one cache line for each use: keys count up, so what is overwritten is old.
  Key& place_of(std::int32_t key) { return keys_[static_cast<std::uint32_t>(key) % kMostKeysKept]; }

  // As the group itself says, or, before its members have found each other, by its size: strategies use
  // equally many devices of every task.
  static std::vector<std::int32_t> members_of(const Cluster& cluster,
                                              const tensorflow::CollGroupParams& group) {
    std::vector<std::int32_t> ranks;
    for (const auto& member : group.members) {
      const std::int32_t rank = cluster.rank_of(member.task);
      if (rank < 0) return {};
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    }
    const auto tasks = static_cast<std::int32_t>(cluster.collective_tasks);
    if (ranks.empty() && tasks > 0 && group.group_size >= tasks && group.group_size % tasks == 0) {
      for (std::int32_t rank = 0; rank < tasks; ++rank) ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  std::uint32_t repeated(std::int32_t key, bool is_ordered) {
    if (is_ordered) return define_communicator(name_ + " repeated");
    const auto known = repeated_.find(key);
    if (known != repeated_.end()) return known->second;
    if (repeated_.size() == kMostRepeatedKeys) return 0;
    return repeated_[key] = define_communicator(name_ + " key " + std::to_string(key));
  }

  std::uint32_t define_communicator(const std::string& name) const {
    lockstep_communicator_facts facts{};
    facts.size = sizeof facts;
    facts.member_count = static_cast<std::uint32_t>(members_.size());
    facts.members = members_.data();
    facts.rank_in_it = -1;
    facts.name = name.c_str();
    facts.description = "";
    facts.backend = backend_.c_str();
    return lockstep_define_communicator(&facts);
  }

  std::string name_;
  std::string backend_;
  std::vector<std::int32_t> members_;
  std::string device_;  // the first of this process that came; it stands for all of them
  int recording_ = 0;
  std::uint32_t communicator_ = 0;
  std::vector<Key> keys_ = std::vector<Key>(kMostKeysKept);  // those that ran last
  std::unordered_map<std::int32_t, std::uint32_t> repeated_;
};

// Never destroyed: collectives may still run while the process exits.
struct State {
  std::mutex mutex;
  Cluster cluster;
  std::unordered_map<std::int32_t, Group> groups;
};
State& state() {
  static State* const all = new State;
  return *all;
}

}  // namespace

void set_tasks(const char* lines, std::uint32_t collective_tasks) {
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.cluster = {};
  all.cluster.collective_tasks = collective_tasks;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) all.cluster.tasks.push_back(line);
}

Meeting next_meeting(const tensorflow::CollectiveParams& params, const std::string& device) {
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  Group& group = all.groups[params.group.group_key];
  if (!group.is_usable()) group.define(all.cluster, params, device);
  return group.is_usable() ? group.next(params.instance.instance_key, device) : Meeting{};
}

void note_ordered(const tensorflow::CollectiveParams& params) {
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.groups[params.group.group_key].note_ordered(params.instance.instance_key);
}

}  // namespace lockstep::tensorflow_adapter
