#include "base/process/passage.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <unistd.h>

namespace lockstep::process {

pollfd Passage::waits_for() const {
  if (has_waiting()) return {.fd = to_, .events = POLLOUT, .revents = 0};
  return {.fd = from_.get(), .events = POLLIN, .revents = 0};
}

std::string_view Passage::step() {
  hand_on();
  if (has_waiting()) return {};
  ssize_t count = 0;
  do {
    count = from_.is_open() ? ::read(from_.get(), waiting_, sizeof waiting_) : 0;
  } while (count < 0 && errno == EINTR);
  is_empty_ = count <= 0;
  if (count < 0 && errno == EAGAIN) return {};
  if (count <= 0) from_.close();
  const auto size = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  begin_ = 0;
  end_ = to_ < 0 ? 0 : size;
  return {waiting_, size};
}

// In pieces that a pipe takes at once when poll() says that there is room: the descriptor is not ours alone,
// so that it cannot be told not to block.
void Passage::hand_on() {
  while (has_waiting()) {
    pollfd room{.fd = to_, .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, 0) == 0) return;
    const ssize_t count = ::write(to_, waiting_ + begin_, std::min<std::size_t>(end_ - begin_, PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count < 0 && errno == EPIPE) return abandon();
    if (count < 0) end_ = begin_;  // a full disk, for one, which is no reason to end a job
    if (count > 0) begin_ += static_cast<std::size_t>(count);
  }
}

void Passage::abandon() {
  begin_ = end_ = 0;
  is_empty_ = true;
  from_.close();
}

}  // namespace lockstep::process
