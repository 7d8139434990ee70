// Where a replay stopped before its end, because it was asked to (--to-step, --bisect), or stands still to be
// frozen into an image (--checkpoint-every). Told by the replayed process in a file of its recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::replay {

struct Stop {
  enum class Why { kReached, kHolds, kFailed, kForImage, kForGpuImage, kCannotBeFrozen };
  Why why = Why::kReached;
  std::uint64_t step = 0;
  std::string error = {};  // of a predicate that cannot be asked, of an image that cannot be taken

  bool is_for_image() const { return why == Why::kForImage || why == Why::kForGpuImage; }
  bool has_gpu_memory() const { return why == Why::kForGpuImage; }
};

// "holds 3", "reached 5", "failed 1 NameError: ...", "image 20", "no_image 20 because ..."; none for anything
// else.
std::optional<Stop> parse_stop(std::string_view line);

// How long after `begin` it stopped, in seconds.
std::optional<double> seconds_until_stop(const std::filesystem::path& recording,
                                         std::filesystem::file_time_type begin);

// None when it ran to its end.
std::optional<Stop> read_stop(const std::filesystem::path& recording);

}  // namespace lockstep::replay
