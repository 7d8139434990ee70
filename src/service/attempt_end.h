// What an attempt that is over left in its folder, and what becomes of its job.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/job/job.h"

namespace lockstep::service {

// How it ended, as its supervisor wrote it down, or else as all of its ranks did; or that nobody did by
// `now_ms`. An error: nobody can tell now, and the attempt is as it was.
Result<void> read_end(const AttemptFolder& folder, const Job& job, Attempt& attempt, std::int64_t now_ms);

// The event that tells what became of a job, and whether it waits for another attempt.
struct Sequel {
  bool goes_on = false;
  std::string event;
  std::string detail;
};

// Of an attempt that read_end has read: the job is over, is tried again with what the attempt taught, or goes
// on with more ranks. Changes both accordingly. An error: nobody can tell now.
Result<Sequel> conclude(const AttemptFolder& folder, Job& job, Attempt& attempt);

// Of an attempt whose supervisor could not be started.
Sequel conclude_not_started(const Error& error, Job& job, Attempt& attempt, std::int64_t now_ms);

}  // namespace lockstep::service
