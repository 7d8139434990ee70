#include "run/evidence/python_stacks.h"

#include <algorithm>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "run/evidence/process_facts.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kName = "lockstep_stacks";
constexpr std::chrono::milliseconds kLookAgain{5};
constexpr std::size_t kMostBytes = std::size_t{64}
                                   << 20;  // a hundred threads of a hundred frames are one dump

struct FoundOffer {
  StackOffer offer;
  fs::path memory;
  std::size_t size = 0;  // before anything is asked
};

// The offer is good only while its descriptor is what it was: a program that closes what it does not know may
// have used the number again since.
std::optional<FoundOffer> find_offer(const fs::path& process, pid_t pid) {
  std::error_code fault;
  for (fs::directory_iterator entry(process / "fd", fault), end; !fault && entry != end;
       entry.increment(fault)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry->path(), gone).string();
    if (gone || target.find(kName) == std::string::npos) continue;
    const std::string text = process::text_of(entry->path(), kMostBytes);
    const auto offer = parse_stack_offer(base::word_of(text, '\n'));
    const auto descriptor = base::number_in<int>(entry->path().filename().native());
    if (offer && offer->pid == pid && descriptor == offer->descriptor) {
      return FoundOffer{*offer, entry->path(), text.size()};
    }
  }
  return std::nullopt;
}

Disturbance disturbance_of(const fs::path& thread, int signal) {
  const process::Status status = process::parse_status(process::text_of(thread / "status"));
  if ((status.state != 'R' && status.state != 'S') || status.blocked.has(signal))
    return Disturbance::kRefused;
  return disturbance_in(process::text_of(thread / "syscall"));
}

// The main thread where that is as good as any: one that waits in the kernel for a disk takes no signal, the
// threads of some libraries take none at all, and some system calls are not begun again after one.
std::optional<pid_t> thread_to_ask(const fs::path& process, pid_t pid, int signal) {
  Disturbance least = disturbance_of(process, signal);
  std::optional<pid_t> thread;
  if (least != Disturbance::kRefused) thread = pid;
  std::error_code fault;
  for (fs::directory_iterator entry(process / "task", fault), end;
       !fault && entry != end && least != Disturbance::kNone; entry.increment(fault)) {
    const auto tid = base::number_in<pid_t>(entry->path().filename().native());
    const Disturbance disturbance = disturbance_of(entry->path(), signal);
    if (!tid || disturbance >= least) continue;
    least = disturbance;
    thread = tid;
  }
  return thread;
}

bool is_python(const fs::path& process) {
  std::error_code unreadable;
  return fs::read_symlink(process / "exe", unreadable).filename().string().starts_with("python");
}

class Asking {
 public:
  Asking(const process::Roots& roots, pid_t pid) : pid_(pid), process_(roots.proc / std::to_string(pid)) {
    begin();
  }

  bool has_ended() const { return has_ended_; }

  // The text is whole when the handler is done: it has written, and its thread neither has the signal pending
  // nor, as inside the handler, blocked.
  void look() {
    const process::Status thread =
        process::parse_status(process::text_of(process_ / "task" / std::to_string(thread_) / "status"));
    const bool is_inside = thread.pending.has(found_.offer.signal) || thread.blocked.has(found_.offer.signal);
    if (thread.state == process::kGone) return end("it ended while it was asked");
    if (is_inside) return;
    std::string text = process::text_of(found_.memory, kMostBytes);
    if (text.size() <= found_.size) return;
    answer_.text = text.substr(found_.size);
    has_ended_ = true;
  }

  PythonStacks answer() && {
    if (!has_ended_) end("it did not answer in time");
    return std::move(answer_);
  }

 private:
  void begin() {
    const char state = process::parse_status(process::text_of(process_ / "status")).state;
    if (state == process::kGone || state == 'Z' || state == 'X' || state == 'T' || state == 't') {
      return end(fmt::format("it {}", state_in_words(state)));
    }
    auto found = find_offer(process_, pid_);
    if (!found) return end(is_python(process_) ? "it offers none (it was not started by lockstep run)" : "");
    found_ = *std::move(found);
    if (!process::parse_status(process::text_of(process_ / "status")).caught.has(found_.offer.signal)) {
      return end(fmt::format("it does not catch signal {} any more", found_.offer.signal));
    }
    const auto thread = thread_to_ask(process_, pid_, found_.offer.signal);
    if (!thread) return end("none of its threads takes a signal now");
    thread_ = *thread;
    if (::syscall(SYS_tgkill, pid_, thread_, found_.offer.signal) != 0) end("it may not be sent a signal");
  }

  void end(std::string why_not) {
    answer_.why_not = std::move(why_not);
    has_ended_ = true;
  }

  pid_t pid_;
  fs::path process_;
  FoundOffer found_;
  pid_t thread_ = 0;
  PythonStacks answer_;
  bool has_ended_ = false;
};

}  // namespace

std::optional<StackOffer> parse_stack_offer(std::string_view line) {
  if (!line.starts_with(std::string(kName) + " 1 ")) return std::nullopt;
  const auto pid = base::number_after<pid_t>(line, " pid ");
  const auto descriptor = base::number_after<int>(line, " descriptor ");
  const auto signal = base::number_after<int>(line, " signal ");
  if (!pid || !descriptor || !signal || *pid <= 0 || *descriptor < 0) return std::nullopt;
  constexpr int kFirstRealTime = 32;
  constexpr int kLastRealTime = 64;
  if (*signal < kFirstRealTime || *signal > kLastRealTime) return std::nullopt;
  return StackOffer{.pid = *pid, .descriptor = *descriptor, .signal = *signal};
}

Disturbance disturbance_in(std::string_view system_call) {
  if (system_call.starts_with("running")) return Disturbance::kNone;
  const auto number = base::number_in<long>(base::word_of(system_call));
  if (!number) return Disturbance::kSome;
  if (*number == SYS_futex) return Disturbance::kNone;
  if (*number == SYS_rt_sigsuspend || *number == SYS_rt_sigtimedwait) return Disturbance::kRefused;
#ifdef SYS_pause
  if (*number == SYS_pause) return Disturbance::kRefused;
#endif
  return Disturbance::kSome;
}

std::vector<PythonStacks> ask_for_python_stacks(const process::Roots& roots, const std::vector<pid_t>& pids,
                                                std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  std::vector<Asking> asked;
  for (const pid_t pid : pids) asked.emplace_back(roots, pid);
  const auto all_have_ended = [&] { return std::ranges::all_of(asked, &Asking::has_ended); };
  while (!all_have_ended() && Clock::now() < deadline) {
    std::this_thread::sleep_for(kLookAgain);
    for (Asking& asking : asked) {
      if (!asking.has_ended()) asking.look();
    }
  }
  std::vector<PythonStacks> answers;
  for (Asking& asking : asked) answers.push_back(std::move(asking).answer());
  return answers;
}

}  // namespace lockstep::evidence
