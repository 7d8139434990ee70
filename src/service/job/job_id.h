// Names of jobs: "job_" and 26 characters that sort by the time of their making and cannot be guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::service {

std::string make_job_id(std::int64_t now_ms);
// No name of a job that was made at this time or later comes before it.
std::string least_job_id(std::int64_t ms);
bool is_job_id(std::string_view text);

std::int64_t now_in_ms();  // of the wall clock

// "2026-11-15T22:40:01.123Z"
std::string rfc3339(std::int64_t ms);

// Unpredictable bytes from the kernel.
std::string random_bytes(std::size_t count);

}  // namespace lockstep::service
