// The first process of a room: starts the replayed process or makes it again from an image, freezes it where
// it stands still for that, and ends with it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/checkpoint/criu.h"
#include "replay/checkpoint/freeze.h"
#include "replay/checkpoint/image.h"
#include "replay/checkpoint/rooms.h"

namespace lockstep::checkpoint {

struct Program {
  std::vector<std::string> argv;         // argv[0] is looked up in the PATH of `environment`
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::filesystem::path folder;
};

// What the user is told of a process while it runs; called in the room.
struct Telling {
  std::function<void(std::uint64_t step, double seconds, std::uint64_t bytes)> on_image;
  std::function<void(std::uint64_t step, const Error& why)> on_no_image;
  std::function<void(std::uint64_t step, double seconds)> on_restored;
  std::function<void(pid_t outer, pid_t inner)> on_stop;  // it stands still, and not for an image
};

// For Occupant::inside: the program from its start.
int keep_program(const Room& room, const Outlets& outlets, const Program& program, const Freezing& freezing,
                 const Telling& telling);

// For Occupant::inside: the process of an image, with `recording` for its own one.
int keep_image(const Room& room, const Outlets& outlets, const Criu& criu, const Image& image,
               const std::filesystem::path& recording, const Telling& telling);

}  // namespace lockstep::checkpoint
