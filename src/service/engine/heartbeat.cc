#include "service/engine/heartbeat.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

// What counts ranks as silent counts in whole seconds; more signs would wear a shared disk.
constexpr std::chrono::seconds kBetweenBeats{1};

}  // namespace

// A file that cannot be made costs the sign of life, not the rank.
Heartbeat::Heartbeat(const std::filesystem::path& path, std::int64_t started_ms)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
  if (!file_.is_open() || !base::write_all(file_.get(), std::to_string(started_ms))) return;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that waits for the rank
  thread_ = std::thread([this] { beat(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wakes_.notify_all();
  thread_.join();
}

void Heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, kBetweenBeats, [this] { return is_over_; }))
    static_cast<void>(::futimens(file_.get(), nullptr));
}

std::optional<SignOfLife> read_heartbeat(const std::filesystem::path& path) {
  const auto text = base::read_file(path, 64);
  const auto started = text.ok() ? base::number_in<std::int64_t>(text.value()) : std::nullopt;
  struct stat file {};
  if (!started || ::stat(path.c_str(), &file) != 0) return std::nullopt;
  return SignOfLife{*started, file.st_mtim.tv_sec * 1000 + file.st_mtim.tv_nsec / 1'000'000};
}

void Pulse::feel(Clock::time_point now) {
  for (int rank = 0; rank < workers_; ++rank) {
    const auto sign = read_heartbeat(folder_.sign_of_life(rank));
    std::error_code ignored;
    if (!sign || std::filesystem::exists(folder_.rank_end(rank), ignored)) {
      beats_.erase(rank);
      continue;
    }
    Beat& beat = beats_[rank];
    if (beat.last_ms != sign->last_ms) beat = {sign->last_ms, now};
  }
}

std::vector<int> Pulse::silent_for(std::chrono::seconds time, Clock::time_point now) const {
  std::vector<int> found;
  for (const auto& [rank, beat] : beats_) {
    if (now - beat.at > time) found.push_back(rank);
  }
  return found;
}

}  // namespace lockstep::service
