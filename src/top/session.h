// The live view from its first frame until the person leaves it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "run/watch/snapshot.h"

namespace lockstep::top {

// Looks at the job again and again, on a thread of its own: a slow file system delays figures, never keys.
using Look = std::function<watch::Snapshot()>;

class Poller {
 public:
  // `look` is called on the poller's thread only, first at once.
  Poller(Look look, std::chrono::milliseconds interval);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Readable while there is a snapshot that nobody has taken.
  int fd() const { return news_.get(); }
  std::shared_ptr<const watch::Snapshot> take();

 private:
  void run(const std::stop_token& stop);

  Look look_;
  std::chrono::milliseconds interval_;
  process::Descriptor news_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::shared_ptr<const watch::Snapshot> latest_;
  std::jthread thread_;  // last: it uses all of the above
};

struct SessionOptions {
  std::chrono::milliseconds interval{500};
  bool color = true;
};

struct SessionEnd {
  bool has_findings = false;     // in what was seen last
  std::optional<int> by_signal;  // that ended it
};

// The terminal is as before when this returns, with a value or an error.
Result<SessionEnd> run_session(Look look, const SessionOptions& options);

}  // namespace lockstep::top
