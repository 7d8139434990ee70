// Where a verb's output goes, and what may be shown there. Machine output goes to standard output through
// write(), everything else to standard error through tell().
//
// Writes to standard output are gathered and reach it at flush(), at 64 KiB, or before the next tell(), so
// that the two streams keep their order. Not for use by several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::cli {

enum class ColorChoice { kAuto, kAlways, kNever };

class Terminal {
 public:
  // `color_welcome` is what the environment says about colour on a terminal.
  Terminal(int out_fd, int err_fd, bool color_welcome);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The verb returns an error from here as its own; once one happened, each later call repeats it. When the
  // cause is that the reader of the pipe has gone, run_program ends the program quietly.
  Result<void> write(std::string_view text);
  Result<void> flush();
  void tell(std::string_view text);

  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  bool color_on_out() const { return wants_color(out_is_terminal_); }
  bool color_on_err() const { return wants_color(err_is_terminal_); }
  int width() const;  // in columns; 80 when standard output is not a terminal
  bool reader_is_gone() const { return reader_is_gone_; }

  void choose_color(ColorChoice choice) { color_ = choice; }

 private:
  bool wants_color(bool is_terminal) const;

  int out_fd_;
  int err_fd_;
  bool color_welcome_;
  bool out_is_terminal_;
  bool err_is_terminal_;
  ColorChoice color_ = ColorChoice::kAuto;
  bool reader_is_gone_ = false;
  std::optional<Error> failure_;
  std::string gathered_;
};

// NO_COLOR (https://no-color.org) and TERM=dumb refuse colour.
bool environment_welcomes_color();

// One line on the terminal that says how far a long step has come. Nothing is shown in the first two seconds,
// nor when standard error is not a terminal.
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
