// What a job of the service left behind, for people: listed, and fetched into a folder.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/terminal.h"
#include "service/client/client.h"

namespace lockstep::cli {

// As the service lists them.
Result<base::Json> artifacts_of(const service::Client& client, const std::string& job_id);

Result<void> show_artifacts(const base::Json& artifacts, Terminal& terminal);

// Each under its own path below the folder; a file is there whole or not at all.
Result<void> download_artifacts(const service::Client& client, const std::string& job_id,
                                const base::Json& artifacts, const std::filesystem::path& folder,
                                Terminal& terminal);

}  // namespace lockstep::cli
