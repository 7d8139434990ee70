// The same work on several threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lockstep::base {

inline std::size_t core_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Calls `work()` on this thread and on up to `most - 1` others; where the system gives fewer threads, those
// do it all. What one of them throws, this throws, once every one has ended.
template <typename Work>
void on_threads(std::size_t most, const Work& work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < most) others.emplace_back(guarded);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no thread, or no memory for one
    }
    guarded();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lockstep::base
