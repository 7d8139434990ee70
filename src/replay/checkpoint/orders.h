// What the tool and a replayed process tell each other, as two files of the replay's own recording:
// orders.json says where to stop and what to do there, `stopped` says where the process did stop. Files,
// because a process restored from an image has the environment of the one that was frozen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::checkpoint {

struct Orders {
  std::uint64_t image_every = 0;  // stop after every so many steps, to be frozen
  std::uint64_t to_step = 0;      // exit after this step; 0: run to the end
  std::string predicate = {};     // or after the first step at whose end this holds
  bool only_asks = false;         // ... which is evaluated after `to_step` only; the process exits there
  std::filesystem::path saves_parameters_to = {};  // at the end of `to_step`
  std::filesystem::path patch = {};                // Python to run when resuming from an image
  int copy = 0;                                    // its number among copies of one image
  std::string break_at = {};                       // in the recorder's syntax

  bool operator==(const Orders&) const = default;
};

std::string encode_orders(const Orders& orders);

Result<void> write_orders(const std::filesystem::path& recording, const Orders& orders);

// Where a replay stopped before its end: as ordered (--to-step, --bisect), or to be frozen
// (--checkpoint-every).
struct Stop {
  enum class Why { kReached, kHolds, kFailed, kForImage, kForGpuImage, kCannotBeFrozen };
  Why why = Why::kReached;
  std::uint64_t step = 0;
  std::string error = {};  // of a predicate that fails, or of an image that cannot be taken

  bool is_for_image() const { return why == Why::kForImage || why == Why::kForGpuImage; }
  bool has_gpu_memory() const { return why == Why::kForGpuImage; }
};

// "holds 3", "reached 5", "failed 1 NameError: ...", "image 20", "no_image 20 because ..."; none for anything
// else.
std::optional<Stop> parse_stop(std::string_view line);

// None when it ran to its end.
std::optional<Stop> read_stop(const std::filesystem::path& recording);

// How long after `begin` it stopped, in seconds.
std::optional<double> seconds_until_stop(const std::filesystem::path& recording,
                                         std::filesystem::file_time_type begin);

}  // namespace lockstep::checkpoint
