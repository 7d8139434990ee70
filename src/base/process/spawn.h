// Starting a program: no shell, its own process group, its output into pipes or a pseudo-terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/descriptor.h"
#include "base/result.h"

namespace lockstep::process {

struct Command {
  std::vector<std::string> argv;         // argv[0] is looked up in PATH
  std::vector<std::string> environment;  // "NAME=VALUE"
  // Its output is a pseudo-terminal, and comes as one stream. For a job that would print on a terminal.
  bool on_a_terminal = false;
  bool is_talked_to = false;  // it reads what is written to Spawned::in
};

struct Spawned {
  pid_t pid = 0;  // also the number of its process group
  Descriptor out;
  Descriptor err;  // both non-blocking
  Descriptor in;   // of a program that is talked to; blocking
};

// Signals are blocked and ignored in the child as they were when this program started, but for SIGCHLD, which
// it does not ignore: posix_spawn can only take back. It reads what this program would read, except from a
// terminal: a process group in the background is stopped for trying.
Result<Spawned> spawn(const Command& command);

// Why spawn() would not find a program to start, with what helps; nothing where it would.
Result<void> check_program(const std::string& name);

// Whether whoever started this program had it ignore the signal, as nohup does with SIGHUP.
bool was_ignored_at_start(int signal);

// A pseudo-terminal for a job whose output goes to a terminal, so that it prints as it would without us.
struct TerminalPair {
  Descriptor ours;
  Descriptor the_jobs;
};

// As large as the terminal of this program's output. Bytes pass as they are: the real terminal translates
// line ends.
Result<TerminalPair> make_terminal_pair();

// Whether both standard output and standard error of this program are a terminal.
bool prints_on_a_terminal();

// Texts as exec and posix_spawn take them: null at the end, valid as long as `texts`.
inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Captured {
  std::string out;
  std::string err;
  bool timed_out = false;  // it and its process group were killed
};

// Each stream up to `max_bytes`; the rest is read and dropped. An error only when it could not be started.
Result<Captured> capture(const Command& command, std::chrono::milliseconds time, std::size_t max_bytes);

}  // namespace lockstep::process
