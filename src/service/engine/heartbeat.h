// The sign of life of one rank's wrapper: a file whose time of change is never older than a moment.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/process/descriptor.h"
#include "base/result.h"

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

}  // namespace lockstep::service
