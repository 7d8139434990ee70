// The first process of a sandbox: starts the replayed process or restores it from an image, freezes it
// whenever it stops for that, and ends with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"
#include "replay/checkpoint/criu.h"
#include "replay/checkpoint/image.h"
#include "replay/checkpoint/orders.h"
#include "replay/checkpoint/sandbox.h"

namespace lockstep::checkpoint {

struct Program {
  std::vector<std::string> argv;         // argv[0] is looked up in the PATH of `environment`
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::filesystem::path folder;
};

// Where images of a process go, and what they must know about it.
struct FreezeTarget {
  Criu criu;
  std::filesystem::path images;     // created with the first image
  std::filesystem::path recording;  // the replay's own
  std::filesystem::path replayed;
  int rank = 0;
  Orders orders;  // in its recording
};

// Called inside the sandbox.
struct ProgressEvents {
  std::function<void(std::uint64_t step, double seconds, std::uint64_t bytes)> on_image;
  std::function<void(std::uint64_t step, const Error& why)> on_no_image;
  std::function<void(std::uint64_t step, double seconds)> on_restored;
  std::function<void(pid_t outer, pid_t inner)> on_stop;  // stopped, and not for an image
};

// For SandboxTask::inside: runs the program from its start.
int supervise_program(const Sandbox& sandbox, const OutputPipes& pipes, const Program& program,
                      const FreezeTarget& target, const ProgressEvents& events);

// For SandboxTask::inside: restores the process of an image, which writes to `recording`.
int supervise_restored(const Sandbox& sandbox, const OutputPipes& pipes, const Criu& criu, const Image& image,
                       const std::filesystem::path& recording, const ProgressEvents& events);

}  // namespace lockstep::checkpoint
