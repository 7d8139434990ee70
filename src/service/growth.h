// An elastic job that runs with fewer ranks than it may have is ended and goes on with more when there is
// room for them again: from its checkpoint, and not at the cost of what it did since.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "service/engine/attempt_folder.h"
#include "service/job/job.h"

namespace lockstep::service {

struct Growth {
  int workers = 0;                         // from now on
  std::vector<std::string> returned = {};  // nodes that were left out and are back

  bool operator==(const Growth&) const = default;
};

// Whether it is worth to look for room: an attempt does not end before its time, and none without a place for
// checkpoints.
bool may_grow(const Job& job, const Attempt& attempt, std::chrono::seconds earliest, std::int64_t now_ms);

// Whether the attempt saved something: what it loses by its end is what it did since, and the ranks are told
// to end with time to save that too.
bool has_saved(const Attempt& attempt, std::int64_t newest_checkpoint_ms);

std::string in_words(const Growth& growth);

// In the attempt's folder, before the attempt is told to end: whoever is there when it has ended knows why.
Result<void> write_growth(const AttemptFolder& folder, const Growth& growth);
std::optional<Growth> read_growth(const AttemptFolder& folder);

// What a job has saved, as far as its folder shows it.

// When something in the folder changed last, in milliseconds of the wall clock; 0: there is nothing in it.
std::int64_t newest_in(const std::filesystem::path& folder);

}  // namespace lockstep::service
