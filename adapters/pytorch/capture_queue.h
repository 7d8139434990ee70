// What is on its way from devices, in the order in which it was asked for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include <c10/core/Event.h>

namespace lockstep::pytorch {

struct Capture {
  c10::Event arrival;
  std::function<void()> tell;  // and holds what must stay until then
};

// Never destroyed: its thread outlives static destruction.
class CaptureQueue {
 public:
  void add(Capture capture);
  void stop();

 private:
  void run();
  bool is_there(const Capture& capture) const;

  std::mutex mutex_;
  std::condition_variable has_some_;
  std::condition_variable is_empty_;
  std::deque<Capture> waiting_;
  std::uint64_t told_ = 0;
  bool is_running_ = false;
  bool is_stopped_ = false;
};

CaptureQueue& capture_queue();

}  // namespace lockstep::pytorch
