// Finds the other hosts of a job, and joins their watchers or is joined by them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "run/multihost/job_place.h"
#include "run/multihost/link.h"
#include "run/multihost/token.h"

namespace lockstep::supervise {

struct HostsRequest {
  multihost::JobPlace place;  // with the head's address
  multihost::TokenSource token;
  std::string version;  // of this lockstep
};

// What the launcher tells, and what the user says about it. Nothing for a job of one host. An error says what
// is missing: this host is then watched alone.
std::optional<Result<HostsRequest>> find_hosts(const multihost::Launch& launch,
                                               const std::optional<multihost::HostPort>& head,
                                               const multihost::TokenSource& token, std::string version);

// Whether the watcher of this host is one that joins another, as far as that is known before.
bool is_satellite(const multihost::JobPlace& place);

// "-3" or "-node1": what tells the recordings of a job's watchers apart where they share a disk.
std::string recording_suffix(const multihost::JobPlace& place);

// Starts a thread.
Result<std::unique_ptr<multihost::Link>> join_hosts(const HostsRequest& request,
                                                    const std::filesystem::path& recording);

}  // namespace lockstep::supervise
