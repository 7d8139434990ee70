// A job run, recorded and watched until its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "launch/supervisor.h"
#include "model/finding.h"
#include "process/spawn.h"
#include "watch/watcher.h"

namespace lockstep::launch {

struct WatchedEnd {
  SupervisedEnd job;
  std::vector<model::Finding> findings;    // what the watcher saw and what was not taken back
  std::vector<model::Finding> first_loss;  // the first process that was gone, where that is known
  std::size_t ranks_recorded = 0;
  std::vector<std::string> frameworks;  // that told the recorder of the first rank what it does
};

// What to do about a notice of the watcher: nothing, or end the job.
enum class Answer : std::uint8_t { kGoOn, kEndJob };
using OnNotice = std::function<Answer(const watch::Notice&, watch::Watcher&)>;

Result<WatchedEnd> run_job(const process::Command& command, const std::filesystem::path& recording,
                           const OnNotice& on_notice);

// Slowness of a job that came to its end was told while it ran; of one that failed unseen, the first loss is
// told.
void forget_what_passed(WatchedEnd& end);

}  // namespace lockstep::launch
