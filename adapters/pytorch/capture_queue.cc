#include "capture_queue.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "device_runtime.h"

namespace lockstep::pytorch {
namespace {

// Bytes fill the host's memory until they are told, and one thread alone does not follow a large model. Sums
// can wait: to ask for them more often slows down the job's own launches.
constexpr int kTellersOfBytes = 2;
constexpr auto kIntervalForBytes = std::chrono::microseconds(100);
constexpr auto kIntervalForSums = std::chrono::milliseconds(4);
constexpr auto kPatience = std::chrono::seconds(5);  // with a device that brings nothing more

}  // namespace

void CaptureQueue::add(Capture capture) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopped_) return;
  bytes_ += capture.bytes;
  ++asked_;
  waiting_.push_back(std::move(capture));
  const int wanted = bytes_ > 0 ? kTellersOfBytes : 1;
  for (; threads_ < wanted; ++threads_) std::thread([this] { run(); }).detach();
  has_some_.notify_one();
}

void CaptureQueue::stop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (told_ != asked_) {
    const std::uint64_t told = told_;
    has_told_.wait_for(lock, kPatience, [&] { return told_ != told; });
    if (told_ == told) break;
  }
  is_stopped_ = true;
  has_some_.notify_all();
}

std::uint64_t CaptureQueue::bytes_on_the_way() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

void CaptureQueue::run() {
  allow_questions_during_capture();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    has_some_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (is_stopped_) return;
    if (!has_arrived()) {
      const std::chrono::microseconds interval = bytes_ > 0 ? kIntervalForBytes : kIntervalForSums;
      lock.unlock();
      std::this_thread::sleep_for(interval);
      lock.lock();
      continue;
    }
    std::optional<Capture> first(std::move(waiting_.front()));
    waiting_.pop_front();
    lock.unlock();
    const std::uint64_t bytes = first->bytes;
    first->held.reset();
    first->tell();
    first.reset();
    lock.lock();
    bytes_ -= bytes;
    ++told_;
    has_told_.notify_all();
  }
}

// The first one. An error of the device is the job's, which others report: nothing comes any more, and stop()
// loses patience.
bool CaptureQueue::has_arrived() {
  try {
    return waiting_.front().arrival.has_come();
  } catch (const std::exception&) {
    return false;
  }
}

CaptureQueue& capture_queue() {
  static auto* const queue = new CaptureQueue;
  return *queue;
}

}  // namespace lockstep::pytorch
