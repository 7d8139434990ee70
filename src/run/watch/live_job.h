// A running job, followed by the record files in the folder of its recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "run/watch/live_rank.h"
#include "run/watch/meetings.h"
#include "run/watch/snapshot.h"

namespace lockstep::watch {

// A rank, and whom it waits for.
struct Standing {
  const LiveRank* rank = nullptr;
  const LiveCall* call = nullptr;  // null: it stands in none
  std::vector<int> missing;        // members that have not come, ascending; the partner of a message
};

// Two processes that both began as one rank, and are both alive as far as is known.
struct Twins {
  int rank = 0;
  std::unique_ptr<LiveRank> first;  // the other one is the job's rank
};

class LiveJob {
 public:
  explicit LiveJob(std::filesystem::path folder);

  // Takes in what all ranks wrote since the last poll, and ranks that are new; leaves those whose file is
  // gone.
  void poll();

  // Ranks of other hosts are known as of this instant at the latest: nothing counts as older than it was
  // then.
  void know_only_until(std::int64_t wall_ns) { known_until_ns_ = wall_ns; }

  const std::filesystem::path& folder() const { return folder_; }
  std::uint32_t restart() const { return newest_restart_; }
  // Of the last poll, by the wall clock; after the job's end the moment of that, where it was noted.
  std::int64_t now_ns() const { return now_ns_; }
  // Whoever ran the job has said that it is over.
  bool has_ended() const { return has_ended_; }

  // Those of the newest restart, ascending by rank.
  std::vector<const LiveRank*> ranks() const;
  const LiveRank* rank(int number) const;

  // Where every rank stands; `quiet_ns` as in LiveRank::stands_in.
  std::vector<Standing> standings(std::int64_t quiet_ns) const;

  const Communicators& communicators() const { return communicators_; }
  Meetings& meetings() { return meetings_; }
  const Meetings& meetings() const { return meetings_; }

  const std::vector<Twins>& twins() const { return twins_; }

  Snapshot snapshot() const;

 private:
  void list_new_files();
  void leave_lost_files(const record::Recording& recording);
  void open_new_files();
  void adopt(std::unique_ptr<LiveRank> rank);
  void keep_twin(int number, std::uint64_t pid);
  std::vector<int> missing_in(const LiveRank& rank, const LiveCall& call) const;

  std::filesystem::path folder_;
  std::optional<record::Manifest> manifest_;
  std::int64_t now_ns_ = 0;
  std::int64_t known_until_ns_ = std::numeric_limits<std::int64_t>::max();
  bool has_ended_ = false;
  std::int64_t ended_ns_ = std::numeric_limits<std::int64_t>::max();
  std::filesystem::file_time_type listed_;  // the age of the folder when it was last listed
  std::vector<record::RankFile> unopened_;
  Communicators communicators_;
  Meetings meetings_;
  std::map<int, std::unique_ptr<LiveRank>> ranks_;
  std::uint32_t newest_restart_ = 0;
  std::vector<Twins> twins_;
};

std::int64_t wall_clock_ns();

}  // namespace lockstep::watch
