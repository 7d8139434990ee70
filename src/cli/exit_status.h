// What the process says to scripts, everywhere. The numbers are a contract.
#pragma once

#include <string_view>

namespace lockstep::cli {

// A verb that runs the user's job passes on the job's own status as ExitStatus{status}.
enum class ExitStatus : int { kNothingFound = 0, kFindings = 1, kCouldNotDoIt = 2 };

struct ExitMeaning {
  ExitStatus status;
  std::string_view meaning;
};

inline constexpr ExitMeaning kExitMeanings[] = {
    {ExitStatus::kNothingFound, "nothing wrong found"},
    {ExitStatus::kFindings, "findings"},
    {ExitStatus::kCouldNotDoIt, "could not do it"},
};

}  // namespace lockstep::cli
