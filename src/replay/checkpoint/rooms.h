// Several rooms at once: what comes out of them is handed on until the last of them is empty.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/checkpoint/room.h"

namespace lockstep::checkpoint {

// Where those inside write, to hand on to a program or to write to themselves.
struct Outlets {
  int out = -1;
  int err = -1;
  int trouble = -1;  // why it could not be done
};

struct Occupant {
  std::function<int(const Room&, const Outlets&)> inside;
  std::function<void(std::string_view)> on_out;  // bytes as they come
  std::function<void(std::string_view)> on_err;
  bool has_own_network = false;  // nothing but a loopback
};

// For each its exit status, or what it wrote as its trouble. SIGINT and SIGTERM empty all rooms.
std::vector<Result<int>> run_rooms(const std::vector<Occupant>& occupants);

}  // namespace lockstep::checkpoint
