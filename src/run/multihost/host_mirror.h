// The ranks of this host, for the head: their record files and how their processes are.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "record/recording.h"
#include "run/multihost/messages.h"
#include "run/multihost/rank_mirror.h"
#include "run/watch/rank_process.h"

namespace lockstep::multihost {

class HostMirror {
 public:
  explicit HostMirror(std::filesystem::path recording) : recording_(std::move(recording)) {}

  // Takes in what the ranks of this host did.
  void look();

  // Hands on what the head lacks, about `most_bytes` of it.
  void hand_on(std::size_t most_bytes, const RankMirror::Emit& emit);

  // After everything was handed on: processes that changed since the last pulse, and the instant before the
  // look. Otherwise the instant is that of the pulse before.
  Pulse pulse();

  // What was kept of the ranks when a fault was seen, and of this host.
  std::vector<Testimony> testimony() const;

  // The end of what the job printed.
  std::vector<Output> output() const;

 private:
  struct Followed {
    RankMirror mirror;
    watch::RankProcess process;
    ProcessState now;
    ProcessState told;
    std::chrono::steady_clock::time_point told_at{};
  };

  void find_new_files();
  void sample(Followed& rank);

  std::filesystem::path recording_;
  std::filesystem::file_time_type listed_;
  std::vector<record::RankFile> unopened_;
  std::map<RankName, Followed> ranks_;
  std::chrono::steady_clock::time_point sampled_{};
  std::int64_t looked_ns_ = 0;
  std::int64_t as_of_ns_ = 0;
};

}  // namespace lockstep::multihost
