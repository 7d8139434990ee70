// What the verbs of the service share: reaching it, and showing its jobs.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/args.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "service/client/client.h"

namespace lockstep::cli {

inline constexpr Flag kStateFlag = {.name = "state",
                                    .value_name = "DIR",
                                    .help =
                                        "Folder of the service; default: LOCKSTEP_STATE, else "
                                        "~/.local/state/lockstep",
                                    .kind = ValueKind::kFolder};

std::filesystem::path state_folder(const Args& args);

// Starts a service when none is there.
Result<service::Client> reach_service(const Args& args);

// The JSON of an answer; an error when it is a refusal.
Result<base::Json> json_of(const Result<service::Answer>& answer);

// "job_01hx...: FAILED: rank 1 ended with status 7", and what was found.
Result<void> tell_job(const base::Json& job, Terminal& terminal);

// Hands on what the job prints until it is over; `shown` false: only waits. Survives a restart of the
// service.
Result<void> follow_job(const service::Client& client, const std::string& id, const std::string& query,
                        bool shown, Terminal& terminal);

// The job's own status: that of the rank which failed first.
int status_of(const base::Json& job);

std::string text_in(const base::Json& json, const char* name);

}  // namespace lockstep::cli
