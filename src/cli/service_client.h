// What the verbs of the service share: reaching it, and showing its jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
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

inline constexpr Flag kServiceFlag = {
    .name = "service",
    .value_name = "URL",
    .help = "A service of another machine, as https://HOST:PORT; needs --token-file"};
inline constexpr Flag kTokenFileFlag = {.name = "token-file",
                                        .value_name = "FILE",
                                        .help = "The token that --service lets in",
                                        .kind = ValueKind::kFile};
inline constexpr Flag kTlsCaFlag = {
    .name = "tls-ca",
    .value_name = "FILE",
    .help = "Certificates to trust for --service, as PEM; default: those of the system",
    .kind = ValueKind::kFile};

std::filesystem::path state_folder(const Args& args);

// The one that --service names; else that of this user, which is started when it is not there.
Result<service::Client> reach_service(const Args& args);

// The JSON of an answer; an error when it is a refusal.
Result<base::Json> json_of(const Result<service::Answer>& answer);

// The whole id of the job that was typed as its beginning, with or without "job_". An error when none begins
// so, or several do.
Result<std::string> job_id_from(const service::Client& client, const std::string& typed);

// "started: attempt 1 with 4 ranks"
std::string event_in_words(const base::Json& event);

// The address of the page of a service on this machine, with the key of its user; opens the page first where
// it is not open, at this port (0: a free one).
Result<std::string> open_page(const service::Client& client, std::uint16_t port);

// The address of that page; with the name of a job, of that job. Nothing: it is not open, or not for us.
std::optional<std::string> page_address(const service::Client& client, const std::string& job = "");

// "http://127.0.0.1:8080/#token=page_ab" shows the jobs, "...#token=page_ab/job/job_01hx" one.
std::string address_of_job(const std::string& page, const std::string& job);

// "job_01hx...: FAILED: rank 1 ended with status 7", and what was found.
Result<void> print_job(const base::Json& job, Terminal& terminal);

// Hands on what the job prints until it is over, and says what happens to it until it prints. Survives a
// restart of the service.
Result<void> follow_job(const service::Client& client, const std::string& id, const std::string& query,
                        Terminal& terminal);

// The same without what it prints: one line for each thing that happens to it, and on a terminal a line of
// progress.
Result<void> wait_for_job(const service::Client& client, const std::string& id, Terminal& terminal);

// The job's own status: that of the rank which failed first.
int status_of(const base::Json& job);

}  // namespace lockstep::cli
