#include "top/poller.h"

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace lockstep::top {

Poller::Poller(Look look, std::chrono::milliseconds interval)
    : look_(std::move(look)),
      interval_(interval),
      news_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::shared_ptr<const watch::Snapshot> Poller::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t ignored = ::read(news_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Poller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto seen = std::make_shared<const watch::Snapshot>(look_());
    std::unique_lock lock(mutex_);
    latest_ = std::move(seen);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(news_.get(), &one, sizeof one);
    stopped_.wait_for(lock, stop, interval_, [] { return false; });
  }
}

}  // namespace lockstep::top
