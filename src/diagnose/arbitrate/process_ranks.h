// Which processes of a running job are which ranks, and which of them is not where the others are.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <sys/types.h>

#include "diagnose/quiet_job.h"
#include "run/evidence/activity.h"
#include "run/evidence/log_processes.h"

namespace lockstep::diagnose {

using RankByProcess = std::map<pid_t, int>;

// By the log that a process alone writes, else by the variables it was started with.
RankByProcess ranks_of(const process::Roots& roots, std::span<const LogPlace> logs,
                       std::span<const evidence::WrittenLog> written,
                       std::span<const evidence::Activity> activities);

// Of three ranks or more, one that waits in another system call than the others, who all wait alike, or who
// all ask again and again.
std::optional<int> odd_one_in(const RankByProcess& rank_of, std::span<const evidence::Activity> activities);

}  // namespace lockstep::diagnose
