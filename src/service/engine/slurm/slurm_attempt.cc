#include "service/engine/slurm/slurm_attempt.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <poll.h>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "process/signal_gate.h"
#include "service/engine/heartbeat.h"
#include "service/engine/news.h"
#include "service/engine/nodes/output_gathering.h"
#include "service/engine/slurm/slurm_tools.h"
#include "service/job/job_id.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenGatherings{100};
constexpr std::chrono::milliseconds kFirstLooks{250};
constexpr std::chrono::seconds kLaterLooks{2};
constexpr int kManyLooks = 40;
// Longer than any pause of a shared disk that nobody calls broken.
constexpr std::chrono::seconds kSignOfLifeTime{30};
constexpr int kNodeLostStatus = 137;
constexpr int kRefusedStatus = 2;

std::filesystem::path number_file(const AttemptFolder& folder) {
  return folder.path / "slurm.id";
}

// Ranks that gave signs of life and give none any more, though they left no last word. Their clock is not
// compared with ours: a sign is that the file changes.
class Pulse {
 public:
  Pulse(const AttemptFolder& folder, int workers) : folder_(folder), workers_(workers) {}

  std::vector<int> silent(Clock::time_point now) {
    std::vector<int> found;
    for (int rank = 0; rank < workers_; ++rank) {
      const auto sign = read_heartbeat(folder_.sign_of_life(rank));
      std::error_code ignored;
      if (!sign || std::filesystem::exists(folder_.rank_end(rank), ignored)) continue;
      Seen& seen = seen_[rank];
      if (seen.last_ms != sign->last_ms) seen = {sign->last_ms, now};
      if (now - seen.at > kSignOfLifeTime) found.push_back(rank);
    }
    return found;
  }

 private:
  struct Seen {
    std::int64_t last_ms = -1;
    Clock::time_point at;
  };
  const AttemptFolder& folder_;
  int workers_;
  std::map<int, Seen> seen_;
};

class SlurmAttempt {
 public:
  SlurmAttempt(const AttemptFolder& folder, const Plan& plan, SlurmTools tools, std::string number)
      : folder_(folder),
        plan_(plan),
        tools_(std::move(tools)),
        number_(std::move(number)),
        output_(folder, plan.nodes),
        pulse_(folder, plan.workers),
        signals_({SIGTERM, SIGINT, SIGHUP}) {}

  SlurmEnd until_the_end() {
    while (!is_over()) {
      wait();
      output_.gather();
      while (signals_.next()) ask_to_end();
    }
    output_.gather();
    return end_;
  }

 private:
  void wait() const {
    pollfd watched{.fd = signals_.fd(), .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, static_cast<int>(kBetweenGatherings.count()));
  }

  void ask_to_end() {
    end_.was_asked = true;
    tools_.cancel(number_);
  }

  bool is_over() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + (++looks_ < kManyLooks ? Clock::duration(kFirstLooks) : Clock::duration(kLaterLooks));
    const auto state = tools_.state_of(number_);
    if (!state || state->standing == SlurmStanding::kOver) return note_end(state ? state->word : "");
    tell_change(*state);
    if (state->standing == SlurmStanding::kRunning) look_for_lost_ranks(now);
    return false;
  }

  void tell_change(const SlurmState& state) {
    if (state.standing == SlurmStanding::kRunning && !end_.has_run) {
      end_.has_run = true;
      tell_news(folder_, "running", fmt::format("Slurm job {} on {}", number_, state.nodes));
    }
    const bool waits_anew = state.standing == SlurmStanding::kWaiting && state.reason != last_reason_ &&
                            state.reason != "None" && !state.reason.empty();
    if (!waits_anew) return;
    last_reason_ = state.reason;
    tell_news(folder_, "waiting", fmt::format("Slurm job {}: {}", number_, state.reason));
  }

  // Slurm may go on for ever with a node whose processes are gone.
  void look_for_lost_ranks(Clock::time_point now) {
    if (!lost_.empty()) return;
    lost_ = pulse_.silent(now);
    if (lost_.empty()) return;
    tell_news(folder_, "lost", fmt::format("no sign of life of ranks {}", fmt::join(lost_, ", ")));
    tools_.cancel(number_);
  }

  bool note_end(const std::string& word) {
    std::error_code ignored;
    end_.has_run = end_.has_run || std::filesystem::exists(folder_.node_place(0), ignored);
    if (!lost_.empty()) {
      end_.reason = fmt::format("ranks {} gave no sign of life for {} s", fmt::join(lost_, ", "),
                                kSignOfLifeTime.count());
    } else if (word == "NODE_FAIL" || word == "BOOT_FAIL") {
      end_.reason = "Slurm lost a node of the job";
    } else if (word == "PREEMPTED") {
      end_.reason = "preempted by Slurm";
    } else if (word == "TIMEOUT" || word == "DEADLINE") {
      end_.reason = "ended by Slurm at its time limit";
    } else if (word == "OUT_OF_MEMORY") {
      end_.reason = "ended by Slurm at its memory limit";
    } else if (word == "CANCELLED" && !end_.was_asked) {
      end_.reason = "cancelled in Slurm by somebody else";
    } else if (!end_.has_run) {
      end_.reason = "Slurm never started it";
    }
    if (!end_.reason.empty()) end_.status = kNodeLostStatus;
    return true;
  }

  const AttemptFolder& folder_;
  const Plan& plan_;
  SlurmTools tools_;
  std::string number_;
  OutputGathering output_;
  Pulse pulse_;
  process::SignalGate signals_;
  SlurmEnd end_;
  std::vector<int> lost_;
  std::string last_reason_;
  int looks_ = 0;
  Clock::time_point next_look_{};
};

Result<void> prepare(const AttemptFolder& folder, const Plan& plan, const std::string& program) {
  std::error_code fault;
  std::filesystem::create_directories(folder.nodes(), fault);
  std::filesystem::create_directories(folder.ranks(), fault);
  TRY(base::write_file(folder.token(), in_hex(random_bytes(32))));
  std::filesystem::permissions(folder.token(), std::filesystem::perms::owner_read, fault);
  return base::write_file(folder.path / "slurm.sh", batch_script(folder, plan, program));
}

// A job that was handed in just before its keeper was lost is found by its name.
Result<std::string> number_of_adopted(const AttemptFolder& folder, const Plan& plan,
                                      const SlurmTools& tools) {
  const auto kept = base::read_file(number_file(folder), 64);
  if (kept.ok()) return std::string(base::trimmed(kept.value()));
  if (auto found = tools.number_of(slurm_job_name(plan))) return *found;
  return Error{"cannot find the attempt again", slurm_job_name(plan), "Slurm has no job of this name", ""};
}

}  // namespace

Result<SlurmEnd> run_slurm_attempt(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                   bool is_adopted) {
  const SlurmTools tools(plan.slurm->tools);
  std::string number;
  if (is_adopted) {
    number = TRY(number_of_adopted(folder, plan, tools));
  } else {
    TRY(prepare(folder, plan, program));
    const auto submitted = tools.submit(folder, plan);
    if (!submitted.ok())
      return SlurmEnd{.status = kRefusedStatus, .reason = "Slurm refused it: " + submitted.error().why};
    number = submitted.value();
  }
  TRY(base::write_file(number_file(folder), number));
  tell_news(folder, is_adopted ? "found again" : "handed in", "Slurm job " + number);
  return SlurmAttempt(folder, plan, tools, number).until_the_end();
}

}  // namespace lockstep::service
