// One line on the terminal about a job that somebody waits for: since when it waits or runs, and what it
// printed last. Nothing when standard error is not a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "service/client/client.h"

namespace lockstep::cli {

class Terminal;

class JobProgress {
 public:
  JobProgress(const service::Client& client, std::string id, Terminal& terminal);
  JobProgress(const JobProgress&) = delete;
  JobProgress& operator=(const JobProgress&) = delete;
  ~JobProgress() { stop(); }

  void saw(int rank, const std::string& line);
  // Takes the line away.
  void stop();

 private:
  void show_until_stopped();

  const service::Client& client_;
  const std::string id_;
  Terminal& terminal_;
  std::mutex mutex_;  // guards the two below
  std::string last_line_;
  bool is_over_ = false;
  std::condition_variable wakes_;
  std::thread thread_;
};

}  // namespace lockstep::cli
