// The tables of the job store, how those of an earlier program become those of this one, and the texts in
// which their rows keep jobs and attempts.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "service/job/job.h"
#include "service/store/database.h"

namespace lockstep::service {

// Makes what is not there. An error when a later program made the store.
Result<void> bring_up_to_date(Database& database);

// Where jobs are found by label.
Result<void> insert_labels(Database& database, const Job& job);

// A job without its environment.
std::string encode_job(const Job& job);
Result<Job> decode_job(std::string_view text);

std::string encode_attempt(const Attempt& attempt);
Result<Attempt> decode_attempt(std::string_view text);

std::string encode_environment(const std::map<std::string, std::string>& environment);
std::map<std::string, std::string> decode_environment(std::string_view text);

}  // namespace lockstep::service
