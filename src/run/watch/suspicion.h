// When a running job is worth a judgement: somebody waits for a rank that cannot come, or longer than is
// usual.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "run/watch/live_job.h"

namespace lockstep::watch {

struct Suspicion {
  // What is awaited cannot happen: a process gone, ended or stopped, or perhaps a circle.
  bool is_decided = false;
  // Somebody is awaited for longer than is usual in this job: calls younger than this say nothing about it.
  std::optional<std::int64_t> late_ns;
};

// What a rank that others wait for does, as far as its process tells.
enum class MissingRankState : std::uint8_t {
  kLost,     // gone, ended, stopped
  kInACall,  // it waits as well
  kIdle,     // it does nothing: blocked, asleep
  kBusy,     // it uses the processor or the disk
  kExcused,  // it saves or loads a checkpoint, compiles, evaluates, or waits for data
  kUnknown   // nothing tells
};

// How long somebody may be waited for before that is worth a word.
std::int64_t patience_ns(MissingRankState of_the_missing, const WaitHistory& waits);

// Whether a process that uses this share of a core does nothing. Threads that look after connections wake in
// it too: Horovod's looks for tensors a thousand times a second. What those who only wait use is no work.
bool does_nothing(double share, double share_of_one_who_waits);

// Looks at processes again and again to see whether they use the processor.
class Suspicions {
 public:
  Suspicion look(const LiveJob& job);

 private:
  struct Seen {
    std::int64_t time_ns = 0;
    std::uint64_t cpu_ticks = 0;
    std::optional<double> share;  // of a core, between the last two looks
  };

  MissingRankState state_of(const LiveJob& job, int rank);
  MissingRankState ask(const LiveJob& job, int rank);
  std::optional<double> share_of(int rank, const ProcessSample& sample, std::int64_t now_ns);
  void look_at_one_who_waits(const LiveJob& job, const std::vector<Standing>& standings);
  void weigh(const LiveJob& job, const Standing& standing, Suspicion& suspicion);
  void weigh_missing(const LiveJob& job, const Standing& standing, Suspicion& suspicion);
  void weigh_present(const LiveJob& job, const Standing& standing, Suspicion& suspicion);

  std::map<int, Seen> seen_;
  std::set<int> in_a_call_;  // during a look
  double share_of_one_who_waits_ = 0;
  std::map<int, MissingRankState> known_;  // during a look: asking costs a file
};

}  // namespace lockstep::watch
