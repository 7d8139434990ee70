// What `lockstep run` says and keeps while a job runs, on one host or as one of several.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "run/supervise/fault_evidence.h"
#include "run/supervise/run_job.h"

namespace lockstep::run {

struct SessionOptions {
  bool is_quiet = false;
  bool ends_hangs = false;
  bool wants_native_stacks = false;
};

class Session {
 public:
  // `tell` gets lines for the user.
  Session(std::filesystem::path recording, SessionOptions options,
          std::function<void(std::string_view)> tell);

  supervise::Listener listener();

  // Something that is not the job's fault and does not end it.
  void report(const Error& error);

  // If another host is the head, its findings are the ones that count.
  void adopt_head_findings(supervise::WatchedEnd& end);
  // The head's verdict, for a satellite whose part of the job ended badly. Waits for it a while.
  std::optional<multihost::HeadVerdict> verdict_of_head(multihost::Link& link);

  const std::string& head() const { return head_; }  // its host; empty: this one, or none
  const std::vector<std::string>& limits() const { return limits_; }

 private:
  supervise::Answer on_notice(const watch::Notice& notice, watch::Watcher& watcher, multihost::Link* link);
  supervise::Answer on_news(const multihost::News& news, watch::Watcher& watcher, multihost::Link& link);
  supervise::Answer on_head_notice(const multihost::HeadNotice& notice, watch::Watcher& watcher,
                                   multihost::Link& link);
  void on_lost(const multihost::News& news);
  void collect_evidence(const watch::Notice& notice, watch::Watcher& watcher);
  void keep(const std::vector<model::Finding>& findings);
  supervise::Answer answer_to(watch::Kind kind);
  void say(const std::string& text);
  std::chrono::milliseconds since_begin() const;

  std::filesystem::path recording_;
  SessionOptions options_;
  std::function<void(std::string_view)> print_;
  supervise::FaultEvidence evidence_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string head_;
  std::vector<model::Finding> head_findings_;
  std::optional<multihost::HeadVerdict> head_verdict_;
  std::vector<std::string> limits_;
};

// A notice of the watcher as lines for a person, so long `after` the job began. `by_host`: who found it;
// empty: this one.
std::string notice_in_words(const watch::Notice& notice, std::chrono::milliseconds after,
                            std::string_view by_host);

}  // namespace lockstep::run
