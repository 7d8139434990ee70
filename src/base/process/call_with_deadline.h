// A call that may never return, such as into the file system of a dead server or the driver of a broken GPU,
// with a deadline for its answer.
#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace lockstep::process {

// Runs `call` in a thread of its own, which is left behind when the deadline passes: nothing can end a thread
// that waits in the kernel. So `call` must own all it uses.
template <typename T>
class CallWithDeadline {
 public:
  template <typename Call>
  explicit CallWithDeadline(Call call) {
    auto promise = std::make_shared<std::promise<T>>();
    answer_ = promise->get_future();
    try {
      std::thread([promise, call = std::move(call)]() mutable {
        try {
          promise->set_value(call());
        } catch (...) {
          promise->set_exception(std::current_exception());
        }
      }).detach();
    } catch (const std::system_error&) {
      answer_ = {};  // no thread could be started: no answer
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

}  // namespace lockstep::process
