// What is on its way from devices, told in the order in which it was asked for, as nearly as several threads
// do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "device_events.h"

namespace lockstep::pytorch {

struct Capture {
  DeviceEvent arrival;
  std::shared_ptr<void> held;  // what must stay until it has arrived
  std::uint64_t bytes;         // that it takes on the host until it is told
  std::function<void()> tell;
};

// Never destroyed: its threads outlive static destruction.
class CaptureQueue {
 public:
  void add(Capture capture);
  void stop();

  // That have been asked for and not told.
  std::uint64_t bytes_on_the_way();

 private:
  void run();
  bool has_arrived();

  std::mutex mutex_;
  std::condition_variable has_some_;
  std::condition_variable has_told_;
  std::deque<Capture> waiting_;
  std::uint64_t asked_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t bytes_ = 0;
  int threads_ = 0;
  bool is_stopped_ = false;
};

CaptureQueue& capture_queue();

}  // namespace lockstep::pytorch
