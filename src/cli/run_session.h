// What `lockstep run` says and keeps while a job runs, on one host or as one of several.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "model/finding.h"
#include "run/supervise/run_job.h"
#include "run/supervise/testimony.h"

namespace lockstep::cli {

struct RunManners {
  bool is_quiet = false;
  bool ends_hangs = false;
  bool wants_native_stacks = false;
};

class RunSession {
 public:
  RunSession(std::filesystem::path recording, RunManners manners, Terminal& terminal);

  supervise::Listener listener();
  void tell_trouble(const Error& error);

  // What the head found, where there is one, is what holds.
  void adopt_head_findings(supervise::WatchedEnd& end);
  // The head's verdict, for a satellite whose part of the job ended badly. Waits for it a while.
  std::optional<multihost::HeadVerdict> verdict_of_head(multihost::Link& link);

  const std::string& head() const { return head_; }  // its host; empty: this one, or none
  const std::vector<std::string>& limits() const { return limits_; }

 private:
  supervise::Answer on_notice(const watch::Notice& notice, watch::Watcher& watcher, multihost::Link* link);
  supervise::Answer on_news(const multihost::News& news, watch::Watcher& watcher, multihost::Link& link);
  supervise::Answer on_head_notice(const multihost::HeadNotice& told, watch::Watcher& watcher,
                                   multihost::Link& link);
  void on_lost(const multihost::News& news);
  void take_testimony(const watch::Notice& notice, watch::Watcher& watcher);
  void keep(const std::vector<model::Finding>& findings);
  supervise::Answer answer_to(watch::Kind kind);
  void say(const std::string& text);
  std::chrono::milliseconds since_begin() const;

  std::filesystem::path recording_;
  RunManners manners_;
  Terminal& terminal_;
  supervise::TestimonyTaker testimony_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string head_;
  std::vector<model::Finding> head_findings_;
  std::optional<multihost::HeadVerdict> head_verdict_;
  std::vector<std::string> limits_;
};

}  // namespace lockstep::cli
