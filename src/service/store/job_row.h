// Jobs and attempts as the texts in which the store keeps them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "service/job/job.h"

namespace lockstep::service {

// Without the environment.
std::string encode_job(const Job& job);
Result<Job> decode_job(std::string_view text);

std::string encode_attempt(const Attempt& attempt);
Result<Attempt> decode_attempt(std::string_view text);

std::string encode_environment(const std::map<std::string, std::string>& environment);
std::map<std::string, std::string> decode_environment(std::string_view text);

}  // namespace lockstep::service
