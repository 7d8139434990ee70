// Whether a log that no entry knows sounds like a failure at all. Silence is the answer for healthy ones.
#pragma once

#include <span>
#include <string_view>

#include "catalogue/catalogue.h"
#include "diagnose/logs/line.h"

namespace lockstep::logs {

// Lines that the catalogue knows as harmless do not count. Words that healthy programs use as well ("failed",
// "cannot") count only in the last lines, where a program that fails has its last word, and only where no
// progress follows them.
bool sounds_like_failure(const catalogue::Catalogue& catalogue, std::span<const LogText> logs);

// Whether the ends of the logs say anything but what the catalogue knows as harmless or as advice.
bool says_anything(const catalogue::Catalogue& catalogue, std::span<const LogText> logs);

// Progress: whatever was complained about before, it did not stop the job.
bool goes_on(std::string_view line);

}  // namespace lockstep::logs
