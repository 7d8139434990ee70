// Jobs that were started without Lockstep: found, looked at, judged, on this host and on others. Nothing is
// left behind in them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/judge.h"
#include "attach/look.h"
#include "attach/running_jobs.h"
#include "base/result.h"
#include "hostinfo/remote.h"

namespace lockstep::attach {

struct Request {
  Selection selection;
  LookOptions look;
  // Where it looks like a hang that has not lasted long enough to be sure, it is looked at again.
  std::chrono::milliseconds longest{8'000};
  std::optional<hostinfo::RemoteRequest> elsewhere;  // the hosts to look at instead of this one
};

struct Examined {
  JobLook look;
  Judgement judgement;
};

// What is seen on this host alone, unjudged: what another host asks for.
std::vector<JobLook> look_here(const Request& request, const process::Roots& roots = {});

// An error when no job is found where one was asked for, or no host answers.
Result<std::vector<Examined>> attach(const Request& request, const process::Roots& roots = {});

// The ranks of one job that several hosts saw.
std::vector<JobLook> join(std::vector<JobLook> looks);

// "train.py: 4 ranks" and a line for ranks that are at the same place.
std::string describe(const Examined& job);

// The findings document (lockstep-findings-v1) with "attach": the groups of ranks.
std::string encode(const Examined& job);

// A folder that `lockstep diagnose` and `report` read, and somebody else can be sent: the stacks of each
// rank, what was seen, and the findings. It must not be there yet, or be one of these.
Result<void> save(const Examined& job, const std::filesystem::path& folder);

}  // namespace lockstep::attach
