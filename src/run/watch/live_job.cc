#include "run/watch/live_job.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "model/collective.h"

namespace lockstep::watch {

namespace fs = std::filesystem;

std::int64_t wall_clock_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

LiveJob::LiveJob(fs::path folder) : folder_(std::move(folder)) {}

void LiveJob::poll() {
  list_new_files();
  open_new_files();
  now_ns_ = std::min({wall_clock_ns(), known_until_ns_, ended_ns_});
  for (Twins& twins : twins_) twins.first->poll([](const LiveCall&) {});
  for (auto& [number, rank] : ranks_) {
    rank->poll([&, number = number](const LiveCall& call) {
      meetings_.arrive(number, call, communicators_[call.communicator]);
    });
  }
}

// Listing thousands of files takes longer than asking whether there is a new one.
void LiveJob::list_new_files() {
  std::error_code fault;
  const fs::file_time_type changed = fs::last_write_time(folder_, fault);
  if (fault || changed == listed_) return;
  auto recording = record::open_recording(folder_);
  if (!recording.ok()) return;
  listed_ = changed;
  manifest_ = recording.value().manifest;
  const auto ended_wall_ns = recording.value().ended_wall_ns;
  has_ended_ = ended_wall_ns || (manifest_ && recording.value().is_complete);
  if (ended_wall_ns) ended_ns_ = static_cast<std::int64_t>(*ended_wall_ns);
  unopened_.clear();
  leave_lost_files(recording.value());
  for (record::RankFile& file : recording.value().rank_files) {
    const auto known = ranks_.find(file.rank);
    const bool is_known = known != ranks_.end() && known->second->restart() >= static_cast<int>(file.restart);
    if (!is_known) unopened_.push_back(std::move(file));
  }
}

void LiveJob::leave_lost_files(const record::Recording& recording) {
  std::erase_if(ranks_, [&](const auto& rank) {
    return !std::ranges::binary_search(recording.rank_files, rank.first, {}, &record::RankFile::rank);
  });
}

// One without a header is only just being made.
void LiveJob::open_new_files() {
  std::erase_if(unopened_, [this](const record::RankFile& file) {
    auto rank = LiveRank::open(file.path, communicators_);
    if (!rank.ok()) return false;
    adopt(std::make_unique<LiveRank>(std::move(rank).value()));
    return true;
  });
}

// A new start of the job: its collectives count from the beginning.
void LiveJob::adopt(std::unique_ptr<LiveRank> rank) {
  const auto restart = static_cast<std::uint32_t>(rank->restart());
  if (restart > newest_restart_) {
    newest_restart_ = restart;
    meetings_ = {};
  }
  keep_twin(rank->rank(), rank->header().pid);
  ranks_[rank->rank()] = std::move(rank);
}

// In a restarted job the process of before has ended; one that begins another life goes on itself.
void LiveJob::keep_twin(int number, std::uint64_t pid) {
  const auto before = ranks_.find(number);
  if (before == ranks_.end()) return;
  const LiveRank& old = *before->second;
  const bool is_another_process =
      old.header().pid != pid && old.process().is_here() && !old.process().has_ended();
  constexpr std::size_t kMaxTwins = 16;
  if (is_another_process && !old.has_ended() && twins_.size() < kMaxTwins)
    twins_.push_back({.rank = number, .first = std::move(before->second)});
}

std::vector<const LiveRank*> LiveJob::ranks() const {
  std::vector<const LiveRank*> current;
  for (const auto& [number, rank] : ranks_) {
    if (static_cast<std::uint32_t>(rank->restart()) == newest_restart_) current.push_back(rank.get());
  }
  return current;
}

const LiveRank* LiveJob::rank(int number) const {
  const auto found = ranks_.find(number);
  const bool is_current =
      found != ranks_.end() && static_cast<std::uint32_t>(found->second->restart()) == newest_restart_;
  return is_current ? found->second.get() : nullptr;
}

std::vector<int> LiveJob::missing_in(const LiveRank& rank, const LiveCall& call) const {
  const LiveCommunicator& communicator = communicators_[call.communicator];
  if (is_point_to_point(call.operation)) {
    const auto peer = static_cast<std::size_t>(call.peer);
    if (call.peer < 0 || peer >= communicator.members.size()) return {};
    return {communicator.members[peer]};
  }
  std::vector<int> missing;
  for (const int member : communicator.members) {
    if (member == rank.rank()) continue;
    const LiveRank* other = this->rank(member);
    if (other == nullptr || other->last_issued(call.communicator) < call.sequence) missing.push_back(member);
  }
  std::ranges::sort(missing);
  return missing;
}

// Ranks mostly stand in the same few calls, so who is missing is found once for each.
std::vector<Standing> LiveJob::standings(std::int64_t quiet_ns) const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<int>> missing_by_call;
  std::vector<Standing> standings;
  for (const LiveRank* rank : ranks()) {
    Standing& standing = standings.emplace_back();
    standing.rank = rank;
    standing.call = rank->stands_in(now_ns_, quiet_ns);
    if (standing.call == nullptr) continue;
    if (is_point_to_point(standing.call->operation)) {
      standing.missing = missing_in(*rank, *standing.call);
      continue;
    }
    const auto [place, is_new] =
        missing_by_call.try_emplace({standing.call->communicator, standing.call->sequence});
    if (is_new) place->second = missing_in(*rank, *standing.call);
    standing.missing = place->second;
  }
  return standings;
}

}  // namespace lockstep::watch
