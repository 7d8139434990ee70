// What a job prints, as it comes, until it is over.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/client/client.h"

namespace lockstep::service {

// Hands on each line once, through restarts of the service; `query` narrows it ("&rank=3"). False from
// `on_line` ends it. An error when the service refuses, or is gone for longer than a restart takes.
Result<void> follow_log(const Client& client, const std::string& job_id, const std::string& query,
                        const std::function<bool(int rank, const std::string& text)>& on_line);

}  // namespace lockstep::service
