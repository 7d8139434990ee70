// A job run, recorded and watched until its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/spawn.h"
#include "base/result.h"
#include "model/finding.h"
#include "run/multihost/link.h"
#include "run/supervise/join_hosts.h"
#include "run/supervise/supervisor.h"
#include "run/watch/watcher.h"

namespace lockstep::supervise {

struct WatchedEnd {
  SupervisedEnd job;
  std::vector<model::Finding> findings;    // what the watcher saw and what was not taken back
  std::vector<model::Finding> first_loss;  // the first process that was gone, where that is known
  bool was_quiet_when_asked = false;       // to end: no rank had done anything for a while
  std::size_t ranks_recorded = 0;
  std::string why_unrecorded = {};         // where no rank was and the command tells why
  std::vector<std::string> frameworks;     // that told the recorder of the first rank what it does
  std::vector<std::string> adapter_notes;  // what of the job is not recorded, and why
  std::unique_ptr<multihost::Link> link;   // to the job's other hosts, where there are some
};

// What to do about a notice of the watcher: nothing, or end the job.
enum class Answer : std::uint8_t { kGoOn, kEndJob };

// Who is told while the job runs.
struct Listener {
  std::function<Answer(const watch::Notice&, watch::Watcher&, multihost::Link*)> on_notice;
  std::function<Answer(const multihost::News&, watch::Watcher&, multihost::Link&)> on_news;
  std::function<void(const Error&)> on_error;
};

// `hosts`: those of the job besides this one, if there are any. Where `caller` holds the status, this returns
// in a child of it.
Result<WatchedEnd> run_job(const process::Command& command, const std::filesystem::path& recording,
                           const std::optional<HostsRequest>& hosts, const Listener& listener,
                           Caller caller = Caller::kWatches);

// The head's verdict on the whole job, for a satellite; waits for it, but not for long.
std::optional<multihost::HeadVerdict> verdict_of_head(multihost::Link& link);

// Slowness of a job that came to its end was told while it ran; of one that failed unseen, the first loss is
// told.
void forget_what_passed(WatchedEnd& end);

// Adds a finding when somebody ended a healthy job: the watcher had seen nothing and the ranks were not
// silent. Judged from the recording alone, what the ranks were doing then would look like a hang.
void add_interruption(WatchedEnd& end);

}  // namespace lockstep::supervise
