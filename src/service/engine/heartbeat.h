// The sign of life of one rank's wrapper: a file whose time of change is never older than a moment.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {

class Heartbeat {
 public:
  // Beats in a thread of its own until this object goes.
  Heartbeat(const std::filesystem::path& path, std::int64_t started_ms);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

 private:
  void beat();

  process::Descriptor file_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_over_ = false;
  std::thread thread_;
};

struct SignOfLife {
  std::int64_t started_ms = 0;
  std::int64_t last_ms = 0;
};

// None: this rank has not begun.
std::optional<SignOfLife> read_heartbeat(const std::filesystem::path& path);

// Ranks that gave signs of life and give none any more, though they left no last word. Their clock is not
// compared with ours: a sign is that the file changes.

class Pulse {
 public:
  using Clock = std::chrono::steady_clock;

  Pulse(const AttemptFolder& folder, int workers) : folder_(folder), workers_(workers) {}

  void feel(Clock::time_point now);
  // Of those that were felt last.
  std::vector<int> silent_for(std::chrono::seconds time, Clock::time_point now) const;

 private:
  struct Beat {
    std::int64_t last_ms = -1;
    Clock::time_point at;
  };
  AttemptFolder folder_;
  int workers_;
  std::map<int, Beat> beats_;
};

}  // namespace lockstep::service
