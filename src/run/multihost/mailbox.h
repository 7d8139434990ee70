// Things one thread leaves for another, with a descriptor that is readable while some are there.
#pragma once

#include <cstdint>
#include <mutex>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/process/descriptor.h"

namespace lockstep::multihost {

template <typename Thing>
class Mailbox {
 public:
  void put(Thing thing) {
    const std::lock_guard lock(mutex_);
    things_.push_back(std::move(thing));
    const std::uint64_t one = 1;
    (void)!::write(wakes_.get(), &one, sizeof one);
  }
  std::vector<Thing> take_all() {
    const std::lock_guard lock(mutex_);
    std::uint64_t ignored = 0;
    (void)!::read(wakes_.get(), &ignored, sizeof ignored);
    return std::exchange(things_, {});
  }
  int fd() const { return wakes_.get(); }

 private:
  std::mutex mutex_;
  std::vector<Thing> things_;
  process::Descriptor wakes_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

}  // namespace lockstep::multihost
