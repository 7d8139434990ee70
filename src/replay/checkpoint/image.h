// Images of a replayed process: a folder for each, named by the step after whose end it was taken. In it
//   process/    what CRIU wrote
//   recording/  the replay's own recording as it was then; the process goes on writing into a copy of it
//   image.json  what is below
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lockstep::checkpoint {

struct ImageFacts {
  std::uint64_t step = 0;  // that had ended
  pid_t pid = 0;           // in its sandbox
  std::string out;         // what its standard output was: "pipe:[4711]"
  std::string err;
  std::filesystem::path recording;  // where the process has its own recording
  std::filesystem::path replayed;   // the recording that it replays
  int rank = 0;
  bool has_gpu_memory = false;  // which the process takes back to the GPU as soon as it goes on

  bool operator==(const ImageFacts&) const = default;
};

struct Image {
  ImageFacts facts;
  std::filesystem::path folder;
};

std::string encode_facts(const ImageFacts& facts);
Result<ImageFacts> decode_facts(std::string_view text, std::string_view where);

// "step_000040"
std::string image_name(std::uint64_t step);

// By step. `folder`: that of the images, or that of the replay which took them. An error when there is none.
Result<std::vector<Image>> read_images(const std::filesystem::path& folder);

// The last one that was taken at the end of `step` or before; none: all are later.
std::optional<Image> nearest_image(std::span<const Image> images, std::uint64_t step);

}  // namespace lockstep::checkpoint
