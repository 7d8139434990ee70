// Running a program to its end, with everything it starts: its output is handed on as it comes, signals that
// this program gets are passed on, and when run() returns no process of the tree is left.
//
// For the time of the call the process adopts orphans below it (PR_SET_CHILD_SUBREAPER) and reaps every
// child, so there is one run() at a time and no other child.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "base/process/descriptor.h"
#include "base/process/spawn.h"
#include "base/result.h"

namespace lockstep::process {

enum class Stream { kOut, kErr };

struct RunOptions {
  std::function<void(Stream, std::string_view)> on_output;  // bytes as they come, not lines
  std::function<void()> on_start;                           // the program runs now
  // Called once, before the job is first asked to end; what it prints afterwards is about that.
  std::function<void()> on_asking_to_end;
  std::chrono::milliseconds timeout{0};      // then the job is asked to end; 0: never
  std::chrono::milliseconds grace{15'000};   // between asking to end (SIGTERM) and killing
  std::chrono::milliseconds linger{10'000};  // what the tree may still do after the program has ended
};

struct RunEnd {
  int exit_status = 0;
  std::optional<int> ended_by_signal;  // the program itself
  bool timed_out = false;
  std::optional<int> interrupted_by;  // the signal that this program got and passed on
  bool left_processes = false;        // some outlived the program and had to be ended
  std::chrono::milliseconds ran{0};
  std::chrono::milliseconds quiet{0};  // since its last output

  // As a shell tells it: the exit status, or 128 and the signal.
  int status() const { return ended_by_signal ? 128 + *ended_by_signal : exit_status; }
};

// An error only when the program could not be started.
Result<RunEnd> run(const Command& command, const RunOptions& options);

// What a job prints, kept in two files while it passes: STEM.out and STEM.err.
class OutputFiles {
 public:
  static Result<OutputFiles> open(const std::filesystem::path& folder, std::string_view stem);

  void keep(Stream stream, std::string_view bytes);
  // What follows goes into files of another name.
  void go_on_in(std::string_view stem);
  bool is_whole() const { return is_whole_; }  // false: the disk did not take everything

 private:
  explicit OutputFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open_files(std::string_view stem);

  std::filesystem::path folder_;
  Descriptor out_;
  Descriptor err_;
  bool is_whole_ = true;
};

}  // namespace lockstep::process
