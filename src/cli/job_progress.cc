#include "cli/job_progress.h"

#include <chrono>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/json.h"
#include "cli/service_client.h"
#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::string_view kTakeLineAway = "\r\x1b[K";

// As many code points as fit; what is left of a long line is not worth a second one.
std::string cut_to(const std::string& text, std::size_t columns) {
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    const bool begins_a_character = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (begins_a_character && seen++ == columns) break;
  }
  return text.substr(0, bytes);
}

std::string state_in_words(const base::Json& job, std::int64_t seconds) {
  const std::string state = base::text_at(job, "state");
  if (state == "QUEUED") return fmt::format("waits for its turn, {} s", seconds);
  if (state != "RUNNING") return "";
  const auto attempts = job.find("attempts");
  const bool is_again = attempts != job.end() && attempts->is_number_integer() && attempts->get<int>() > 1;
  return is_again ? fmt::format("runs, attempt {}, {} s", attempts->get<int>(), seconds)
                  : fmt::format("runs, {} s", seconds);
}

}  // namespace

JobProgress::JobProgress(const service::Client& client, std::string id, Terminal& terminal)
    : client_(client), id_(std::move(id)), terminal_(terminal) {
  if (terminal_.err_is_terminal()) thread_ = std::thread([this] { show_until_stopped(); });
}

void JobProgress::saw(int rank, const std::string& line) {
  const std::lock_guard lock(mutex_);
  last_line_ = fmt::format("[{}] {}", rank, line);
}

void JobProgress::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wakes_.notify_all();
  thread_.join();
  terminal_.tell(kTakeLineAway);
}

void JobProgress::show_until_stopped() {
  std::string state;
  auto since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, kBetweenLooks, [this] { return is_over_; })) {
    const std::string last_line = last_line_;
    lock.unlock();
    const auto job = json_of(client_.send("GET", "/v1/jobs/" + id_));
    const std::string now_state = job.ok() ? base::text_at(job.value(), "state") : "";
    if (now_state != state) {
      if (!state.empty()) since = Clock::now();
      state = now_state;
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since).count();
    const std::string words =
        job.ok() ? state_in_words(job.value(), seconds) : "the service does not answer; it is tried again";
    const std::string line = fmt::format("lockstep: {} {}", words, last_line);
    if (!words.empty())
      terminal_.tell(fmt::format(
          "{}{}", kTakeLineAway,
          cut_to(base::escape_for_terminal(line), static_cast<std::size_t>(terminal_.width() - 1))));
    lock.lock();
  }
}

}  // namespace lockstep::cli
