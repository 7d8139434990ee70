// Watches a running job: call tick() a few times a second, and it says what it found, once.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "run/watch/live_job.h"
#include "run/watch/set_up_watch.h"
#include "run/watch/slow_cause.h"
#include "run/watch/suspicion.h"

namespace lockstep::watch {

enum class Kind : std::uint8_t {
  kDecided,    // it will not get better by waiting
  kLate,       // somebody is late; it may still come
  kHung,       // it has been late for so long that it will not come
  kSlow,       // it goes on, slower or otherwise than it should
  kResolved,   // what was said before has gone: the late rank came
  kRestarted,  // the same: the job goes on in another life, without the fault
  kElsewhere   // somebody has not come, perhaps from another host
};

struct Notice {
  Kind kind{};
  model::Finding finding;
  std::chrono::steady_clock::time_point since{};
};

// Machines have slow moments: only who is slow in several looks in a row is slow. Results that differ count
// at once.
class SlowRanks {
 public:
  // Of what a look has seen, what is to be said. A crowded host makes ranks slow by turns, and needs more
  // looks.
  std::vector<model::Finding> confirm(std::vector<model::Finding> seen, bool is_crowded = false);
  void forget() { in_a_row_.clear(); }

 private:
  std::map<std::string, int> in_a_row_;
};

// When the next judgement may begin after one that took from `began` to `ended`, and the next look for
// slowness.
std::chrono::steady_clock::time_point next_judgement(std::chrono::steady_clock::time_point began,
                                                     std::chrono::steady_clock::time_point ended);
std::chrono::steady_clock::time_point next_slow_look(std::chrono::steady_clock::time_point began,
                                                     std::chrono::steady_clock::time_point ended);

class Watcher {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  // `now` is the watcher's own clock, not that of the records.
  explicit Watcher(std::filesystem::path folder, Now now = std::chrono::steady_clock::now)
      : job_(std::move(folder)), now_(std::move(now)) {}

  // What is new since the last tick.
  std::vector<Notice> tick();

  // Takes in what the ranks wrote, and judges nothing.
  void follow() { job_.poll(); }

  // As in LiveJob.
  void know_only_until(std::int64_t wall_ns) { job_.know_only_until(wall_ns); }

  // Judges once more what stands, with what was learnt about it since.
  void judge_again();

  // What holds now: decided faults and ranks that are still late, most likely first.
  std::vector<model::Finding> findings() const;

  // The first rank whose process was gone without a word while others went on. Launchers end the rest at
  // once, so there is often no time to see who waits for it: it counts when the job has ended badly.
  const std::vector<model::Finding>& first_loss() const { return first_loss_; }

  // Once all records are there: those of other hosts come after the news that a process is gone. Ranks that
  // called different things were at odds before one of them was lost.
  void review_first_loss();

  // Becomes readable when a process of the job ends: a reason to tick at once.
  std::vector<int> process_fds() const;

  const LiveJob& job() const { return job_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<Notice> judge();
  std::vector<Notice> look_for_slowness();
  void look_at_set_up(std::vector<Notice>& notices);
  void note_first_loss();
  void note_restart(std::vector<Notice>& notices);
  void report(Kind kind, std::vector<model::Finding> found, std::vector<Notice>& notices);
  void resolve(std::vector<Notice>& notices);
  void give_up_on_late(std::vector<Notice>& notices);
  std::uint64_t progress() const;

  LiveJob job_;
  Now now_;
  Suspicions suspicions_;
  SetUpWatch set_up_;
  struct Statement {
    Notice notice;
    std::map<int, std::optional<std::uint64_t>>
        calls_then;  // of the ranks that began it; none: it was not there
  };
  bool has_moved(const Statement& said) const;

  std::vector<Statement> standing_;  // what still holds
  std::vector<model::Finding> first_loss_;
  bool has_looked_at_loss_ = false;
  std::uint32_t restart_ = 0;
  Clock::time_point mismatch_since_{};
  Clock::time_point next_judgement_{};
  Clock::time_point next_slow_look_{};
  std::uint64_t judged_at_progress_ = ~std::uint64_t{0};
  bool judged_late_ = false;
  bool judged_decided_ = false;
  std::int64_t late_ns_ = 0;  // of the last judgement about late ranks
  SlowRanks slow_ranks_;
  SlowCauses slow_causes_;
};

}  // namespace lockstep::watch
