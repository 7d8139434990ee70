#include "capture_queue.h"

#include <chrono>
#include <thread>
#include <utility>

#include "device_runtime.h"

namespace lockstep::pytorch {
namespace {

constexpr auto kQuestionInterval = std::chrono::microseconds(100);
constexpr auto kPatience = std::chrono::seconds(5);  // with a device that brings nothing more

}  // namespace

void CaptureQueue::add(Capture capture) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopped_) return;
  waiting_.push_back(std::move(capture));
  if (!std::exchange(is_running_, true)) std::thread([this] { run(); }).detach();
  has_some_.notify_one();
}

void CaptureQueue::stop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!waiting_.empty()) {
    const std::uint64_t told = told_;
    is_empty_.wait_for(lock, kPatience, [&] { return waiting_.empty() || told_ != told; });
    if (told_ == told) break;
  }
  is_stopped_ = true;
  has_some_.notify_one();
}

void CaptureQueue::run() {
  allow_questions_during_capture();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    has_some_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (is_stopped_) return;
    const Capture& first = waiting_.front();  // others add behind it
    lock.unlock();
    if (!is_there(first)) {
      std::this_thread::sleep_for(kQuestionInterval);
      lock.lock();
      continue;
    }
    first.tell();
    lock.lock();
    waiting_.pop_front();
    ++told_;
    is_empty_.notify_all();
  }
}

// An error of the device is the job's, which others report: nothing comes any more, and stop() loses
// patience.
bool CaptureQueue::is_there(const Capture& capture) const {
  try {
    return capture.arrival.query();
  } catch (const std::exception&) {
    return false;
  }
}

CaptureQueue& capture_queue() {
  static auto* const queue = new CaptureQueue;
  return *queue;
}

}  // namespace lockstep::pytorch
