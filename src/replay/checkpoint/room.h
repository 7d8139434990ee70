// A room of its own for a replayed process: namespaces of processes and mounts. Copies of one image have the
// same numbers of processes and the same paths of files, and each room has them once.
#pragma once

#include <filesystem>
#include <functional>
#include <sys/types.h>

#include "base/result.h"

namespace lockstep::checkpoint {

class Room {
 public:
  // Runs `inside` in a new process, the first one of the room; what it returns is the exit status. When this
  // program ends, or that process, everything in the room ends. Needs the rights of root, and a program with
  // one thread.
  static Result<pid_t> start(const std::function<int(Room&)>& inside);

  // Only inside, and first. Mounts are the room's own from here on, and /proc is about its processes.
  Result<void> furnish();

  // Only inside. From here on it has a network of its own, in which there is only a loopback. Copies of a
  // process that uses a GPU need that: the driver's socket has the same name in each.
  Result<void> leave_network() const;

  // Only inside. From here on `place` is another name of `folder` there.
  Result<void> show(const std::filesystem::path& folder, const std::filesystem::path& place) const;

  // The number of a child as it is known outside; 0: not known.
  pid_t outer_number(pid_t child) const;

 private:
  Room() = default;

  int outer_proc_ = -1;
};

}  // namespace lockstep::checkpoint
