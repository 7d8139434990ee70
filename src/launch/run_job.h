// A job run, recorded and watched until its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/link.h"
#include "launch/join_hosts.h"
#include "launch/supervisor.h"
#include "model/finding.h"
#include "process/spawn.h"
#include "watch/watcher.h"

namespace lockstep::launch {

struct WatchedEnd {
  SupervisedEnd job;
  std::vector<model::Finding> findings;    // what the watcher saw and what was not taken back
  std::vector<model::Finding> first_loss;  // the first process that was gone, where that is known
  bool was_quiet_when_asked = false;       // to end: no rank had done anything for a while
  std::size_t ranks_recorded = 0;
  std::vector<std::string> frameworks;     // that told the recorder of the first rank what it does
  std::vector<std::string> adapter_notes;  // what of the job is not recorded, and why
  std::unique_ptr<hosts::Link> link;       // to the job's other hosts, where there are some
};

// What to do about a notice of the watcher: nothing, or end the job.
enum class Answer : std::uint8_t { kGoOn, kEndJob };

// Who is told while the job runs.
struct Listener {
  std::function<Answer(const watch::Notice&, watch::Watcher&, hosts::Link*)> on_notice;
  std::function<Answer(const hosts::News&, watch::Watcher&, hosts::Link&)> on_news;
  std::function<void(const Error&)> on_trouble;
};

// `hosts`: those of the job besides this one, if there are any.
Result<WatchedEnd> run_job(const process::Command& command, const std::filesystem::path& recording,
                           const std::optional<HostsRequest>& hosts, const Listener& listener);

// The head's verdict on the whole job, for a satellite; waits for it, but not for long.
std::optional<hosts::HeadVerdict> verdict_of_head(hosts::Link& link);

// Slowness of a job that came to its end was told while it ran; of one that failed unseen, the first loss is
// told.
void forget_what_passed(WatchedEnd& end);

}  // namespace lockstep::launch
