#include "run/evidence/activity.h"

#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

#include "base/process/proc_files.h"
#include "base/text_fields.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What counts as polling, over one look.

// Ticks of the processor: of fewer the kernel's share says nothing. Activity.AProcessThatWaits
constexpr std::uint64_t kMinTicks = 3;
// The kernel's part of the time: loops that yield or ask descriptors spend a third to all of it there,
// training a few hundredths. Activity.AProcessThatComputes
constexpr double kKernelsShare = 0.25;
// Bytes read and written: who moves more works. Activity.AProcessThatReads
constexpr std::uint64_t kMaxPolledBytes = std::uint64_t{1} << 20;
// Pages touched for the first time: who touches more fills memory. Activity.AProcessThatFillsMemory
constexpr std::uint64_t kMaxPolledFaults = 64;

// What counts as wanting a processor: this share of a core whatever it is spent on, or less when what it gets
// is kept for long. Activity.AProcessThatComputes, Activity.AProcessThatWakesForMoments
constexpr double kMuch = 0.1;
constexpr double kLittle = 0.03;
constexpr double kMomentNs = 1e6;  // of a thread that wakes, looks, and sleeps again

struct Look {
  process::Stat stat;
  std::uint64_t ran_ns = 0;  // on a processor, all threads
  std::uint64_t times = 0;   // it was given one
  std::uint64_t moved_bytes = 0;
};

void add_threads(const fs::path& process, Look& look) {
  std::error_code fault;
  for (fs::directory_iterator thread(process / "task", fault), end; !fault && thread != end;
       thread.increment(fault)) {
    const std::string text =
        process::text_of(thread->path() / "schedstat");  // ran, waited in the queue, times
    const std::string_view waited = base::rest_after(text, " ");
    const std::string_view times = base::trimmed(base::rest_after(waited, " "));
    look.ran_ns += base::number_in<std::uint64_t>(base::word_of(text)).value_or(0);
    look.times += base::number_in<std::uint64_t>(times).value_or(0);
  }
}

// "running" and what may not be looked at are no call.
std::optional<long> system_call_of(const fs::path& process) {
  return base::number_in<long>(base::word_of(process::text_of(process / "syscall")));
}

std::optional<Look> look_at(const fs::path& process) {
  const auto stat = process::parse_stat(process::text_of(process / "stat"));
  if (!stat) return std::nullopt;
  const std::string moved = process::text_of(process / "io");
  Look look;
  look.stat = *stat;
  look.moved_bytes = process::number_behind(moved, "rchar:").value_or(0) +
                     process::number_behind(moved, "wchar:").value_or(0);
  add_threads(process, look);
  return look;
}

// Loops of MPI and Horovod that ask every descriptor and yield: a good part of the time is the kernel's, next
// to nothing is read or written and no memory is touched for the first time.
bool polls(const Look& before, const Look& after) {
  const std::uint64_t kernel = after.stat.system_ticks - before.stat.system_ticks;
  const std::uint64_t all = kernel + after.stat.user_ticks - before.stat.user_ticks;
  return all >= kMinTicks && static_cast<double>(kernel) >= kKernelsShare * static_cast<double>(all) &&
         after.moved_bytes - before.moved_bytes <= kMaxPolledBytes &&
         after.stat.minor_faults - before.stat.minor_faults <= kMaxPolledFaults;
}

bool is_gone(const std::optional<Look>& look) {
  return !look || look->stat.state == 'Z' || look->stat.state == 'X';
}

// Threads of frameworks wake up now and then, for a moment. On a busy machine one that works gets little too,
// but keeps what it gets.
bool wants_a_processor(const Look& before, const Look& after, Clock::duration time) {
  const auto ran_ns = static_cast<double>(after.ran_ns - before.ran_ns);
  const double share = ran_ns / static_cast<double>(std::chrono::nanoseconds(time).count());
  const auto times = static_cast<double>(after.times - before.times);
  return share >= kMuch || (share >= kLittle && ran_ns >= kMomentNs * times);
}

Doing doing_between(const std::optional<Look>& before, const std::optional<Look>& after,
                    Clock::duration time) {
  if (is_gone(before) || is_gone(after)) return Doing::kGone;
  if (before->stat.start_ticks != after->stat.start_ticks) return Doing::kGone;
  if (after->stat.state == 'T') return Doing::kStopped;
  const bool waits_for_a_disk = before->stat.state == 'D' || after->stat.state == 'D';
  if (!wants_a_processor(*before, *after, time) && !waits_for_a_disk) return Doing::kWaits;
  return polls(*before, *after) ? Doing::kPolls : Doing::kWorks;
}

std::vector<std::optional<Look>> look_at_all(const process::Roots& roots, std::span<const pid_t> pids) {
  std::vector<std::optional<Look>> looks;
  for (const pid_t pid : pids) looks.push_back(look_at(roots.proc / std::to_string(pid)));
  return looks;
}

}  // namespace

std::vector<Activity> watch_activity(const process::Roots& roots, std::span<const pid_t> pids,
                                     std::chrono::milliseconds time) {
  const auto before = look_at_all(roots, pids);
  const auto begun = Clock::now();
  std::this_thread::sleep_for(time);
  const auto after = look_at_all(roots, pids);
  const auto passed = Clock::now() - begun;
  const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::vector<Activity> activities;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    Activity activity{.pid = pids[i], .doing = doing_between(before[i], after[i], passed)};
    if (after[i]) {
      activity.cpu_seconds =
          static_cast<double>(after[i]->stat.user_ticks + after[i]->stat.system_ticks) / ticks_a_second;
      activity.waits_in = system_call_of(roots.proc / std::to_string(pids[i]));
    }
    activities.push_back(activity);
  }
  return activities;
}

}  // namespace lockstep::evidence
