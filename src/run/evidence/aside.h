// Asking for something that may never answer: the file system of a dead server, the driver of a broken GPU.
#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace lockstep::evidence {

// Runs `ask` in a thread of its own, which is left behind when it does not answer: nothing can end a thread
// that waits in the kernel. So `ask` owns all it uses.
template <typename T>
class Aside {
 public:
  template <typename Ask>
  explicit Aside(Ask ask) {
    auto promise = std::make_shared<std::promise<T>>();
    answer_ = promise->get_future();
    try {
      std::thread([promise, ask = std::move(ask)]() mutable {
        try {
          promise->set_value(ask());
        } catch (...) {
          promise->set_exception(std::current_exception());
        }
      }).detach();
    } catch (const std::system_error&) {
      answer_ = {};  // no thread to be had: no answer
    }
  }

  std::optional<T> answer_until(std::chrono::steady_clock::time_point deadline) {
    if (!answer_.valid() || answer_.wait_until(deadline) != std::future_status::ready) return std::nullopt;
    try {
      return answer_.get();
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  std::future<T> answer_;
};

}  // namespace lockstep::evidence
