// Running a program to its end, with everything it starts: its output is handed on as it comes, every signal
// that this program gets is passed on as it came, and when run() returns no process of the tree is left.
//
// For the time of the call the process adopts orphans below it (PR_SET_CHILD_SUBREAPER) and reaps every
// child, so there is one run() at a time and no other child.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <sys/types.h>

#include "base/process/descriptor.h"
#include "base/process/spawn.h"
#include "base/result.h"

namespace lockstep::process {

class SignalPipe;

enum class Stream { kOut, kErr };

struct RunOptions {
  // Bytes as they come, not lines. What a function throws here and below is dropped: the job goes on.
  std::function<void(Stream, std::string_view)> on_output;
  // Descriptors to which the job's output is handed on; -1: none. A reader that is gone is gone for the job;
  // one that is slow holds the job up, but no signal for it.
  int hand_out_to = -1;
  int hand_err_to = -1;
  std::function<void()> on_start;  // the program runs now
  // Called once, before the job is first asked to end; what it prints afterwards is about that.
  std::function<void()> on_asking_to_end;
  std::chrono::milliseconds timeout{0};      // then the job is asked to end; 0: never
  std::chrono::milliseconds grace{15'000};   // between asking to end (SIGTERM) and killing
  std::chrono::milliseconds linger{10'000};  // what the tree may still do after the program has ended
  // The only process whose signals count, by way of `orders`: whoever signals everything in a job's cgroup
  // has signalled the job itself. Once that process has ended, the job is ended. 0: everybody's count.
  pid_t obeys = 0;
  const SignalPipe* orders = nullptr;
};

// What may be sent with a signal by a SignalPipe: how it is to be passed on.
inline constexpr int kSignalToGroup = 1;       // not to the program alone: as the terminal does
inline constexpr int kSignalWithDeadline = 2;  // if the job goes on it is killed, after RunOptions::grace

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
