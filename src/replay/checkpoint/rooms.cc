#include "replay/checkpoint/rooms.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/process/signal_gate.h"

namespace lockstep::checkpoint {
namespace {

using process::Descriptor;

constexpr int kCouldNotDoIt = 2;

struct Way {
  Descriptor from;
  std::function<void(std::string_view)> to;
};

struct Occupied {
  pid_t pid = 0;
  std::string trouble = {};
};

Result<std::array<Descriptor, 2>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::error_from_errno("cannot make a pipe", "");
  return std::array<Descriptor, 2>{Descriptor(ends[0]), Descriptor(ends[1])};
}

int move_in(Room& room, const Occupant& occupant, const Outlets& outlets) {
  Result<void> furnished = room.furnish();
  if (furnished.ok() && occupant.has_own_network) furnished = room.leave_network();
  if (furnished.ok()) return occupant.inside(room, outlets);
  base::write_all(outlets.trouble, furnished.error().why);
  return kCouldNotDoIt;
}

Result<pid_t> occupy(const Occupant& occupant, std::string& trouble, std::vector<Way>& ways) {
  std::array<Descriptor, 2> out = TRY(make_pipe());
  std::array<Descriptor, 2> err = TRY(make_pipe());
  std::array<Descriptor, 2> told = TRY(make_pipe());
  const Outlets outlets{out[1].get(), err[1].get(), told[1].get()};
  const pid_t pid = TRY(Room::start([&](Room& room) { return move_in(room, occupant, outlets); }));
  ways.push_back({std::move(out[0]), occupant.on_out});
  ways.push_back({std::move(err[0]), occupant.on_err});
  ways.push_back({std::move(told[0]), [&trouble](std::string_view text) { trouble += text; }});
  return pid;
}

// False: nobody writes there any more.
bool pass_on(Way& way) {
  char bytes[1 << 16];
  const ssize_t count = ::read(way.from.get(), bytes, sizeof bytes);
  if (count > 0) way.to({bytes, static_cast<std::size_t>(count)});
  return count > 0 || (count < 0 && errno == EINTR);
}

void pass_all_on(std::vector<Way> ways, const std::vector<Occupied>& rooms) {
  const process::SignalGate gate({SIGINT, SIGTERM});
  while (!ways.empty()) {
    std::vector<pollfd> polled{{gate.fd(), POLLIN, 0}};
    for (const Way& way : ways) polled.push_back({way.from.get(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (gate.next()) {
      for (const Occupied& room : rooms) {
        if (room.pid > 0) ::kill(room.pid, SIGKILL);
      }
    }
    for (std::size_t i = ways.size(); i-- > 0;) {
      if (polled[i + 1].revents != 0 && !pass_on(ways[i])) ways.erase(ways.begin() + static_cast<long>(i));
    }
  }
}

Result<int> end_of(const Occupied& room) {
  int status = 0;
  while (::waitpid(room.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!room.trouble.empty()) return Error{"no process images", "", room.trouble, ""};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<Result<int>> run_rooms(const std::vector<Occupant>& occupants) {
  std::vector<Occupied> rooms(occupants.size());
  std::vector<Error> refused(occupants.size());
  std::vector<Way> ways;
  for (std::size_t i = 0; i < occupants.size(); ++i) {
    const Result<pid_t> pid = occupy(occupants[i], rooms[i].trouble, ways);
    if (pid.ok()) {
      rooms[i].pid = pid.value();
    } else {
      refused[i] = pid.error();
    }
  }
  pass_all_on(std::move(ways), rooms);
  std::vector<Result<int>> ends;
  for (std::size_t i = 0; i < rooms.size(); ++i)
    ends.push_back(rooms[i].pid > 0 ? end_of(rooms[i]) : Result<int>(refused[i]));
  return ends;
}

}  // namespace lockstep::checkpoint
