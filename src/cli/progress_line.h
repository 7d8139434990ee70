// One line on the terminal that says how far a long step is. Nothing is shown in the first two seconds, nor
// when standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace lockstep::cli {

class Terminal;

class ProgressLine {
 public:
  explicit ProgressLine(Terminal& terminal) : terminal_(terminal) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // takes the line away

  // `what` is the step, "reading"; rate and time left are those of the step. From any thread.
  void show(std::string_view what, std::uint64_t bytes_done, std::uint64_t bytes);
  // "312 of 4000 connections tried".
  void show_count(std::string_view what, std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due(Clock::time_point now);  // with the lock held

  Terminal& terminal_;
  std::mutex mutex_;  // guards all below
  std::string what_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point step_begin_ = begin_;
  Clock::time_point last_shown_ = begin_;
  bool is_shown_ = false;
};

}  // namespace lockstep::cli
