// Finds the other hosts of a job, and joins their watchers or is joined by them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "hosts/job_place.h"
#include "hosts/link.h"
#include "hosts/token.h"

namespace lockstep::launch {

struct HostsRequest {
  hosts::JobPlace place;  // with the head's address
  hosts::TokenSource token;
  std::string version;  // of this lockstep
};

// What the launcher tells, and what the user says about it. Nothing for a job of one host. An error says what
// is missing: this host is then watched alone.
std::optional<Result<HostsRequest>> find_hosts(const hosts::Launch& launch,
                                               const std::optional<hosts::HostPort>& head,
                                               const hosts::TokenSource& token, std::string version);

// Whether the watcher of this host is one that joins another, as far as that is known before.
bool is_satellite(const hosts::JobPlace& place);

// "-3" or "-node1": what tells the recordings of a job's watchers apart where they share a disk.
std::string recording_suffix(const hosts::JobPlace& place);

// Starts a thread.
Result<std::unique_ptr<hosts::Link>> join_hosts(const HostsRequest& request,
                                                const std::filesystem::path& recording);

}  // namespace lockstep::launch
