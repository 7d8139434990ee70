#include "run/evidence/stacks.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/proc_files.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"
#include "run/evidence/process_facts.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kName = "lockstep_stacks";
constexpr std::chrono::milliseconds kLookAgain{5};
constexpr std::size_t kMaxBytes = std::size_t{64}
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
    const std::string text = process::text_of(entry->path(), kMaxBytes);
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
    std::string text = process::text_of(found_.memory, kMaxBytes);
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

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxDebuggerBytes = std::size_t{4} << 20;

struct Debugger {
  std::string_view name;
  std::vector<std::string> (*command)(const std::string& pid);
};

// Settings of the user are not read, and nothing is fetched from servers of debug information.
std::vector<std::string> gdb(const std::string& pid) {
  return {"gdb",
          "-nx",
          "-batch",
          "-iex",
          "set debuginfod enabled off",
          "-iex",
          "set auto-load off",
          "-p",
          pid,
          "-ex",
          "thread apply all backtrace 64"};
}

std::vector<std::string> eu_stack(const std::string& pid) {
  return {"eu-stack", "-s", "-n", "64", "-p", pid};
}

constexpr std::array<Debugger, 2> kDebuggers = {{{"gdb", gdb}, {"eu-stack", eu_stack}}};

bool is_on_path(std::string_view name) {
  const char* const path = std::getenv("PATH");
  return path != nullptr && !process::program_in(path, std::string(name)).empty();
}

const Debugger* installed_debugger() {
  for (const Debugger& debugger : kDebuggers) {
    if (is_on_path(debugger.name)) return &debugger;
  }
  return nullptr;
}

std::vector<std::string> environment_for_debuggers() {
  std::vector<std::string> environment = {"LC_ALL=C", "DEBUGINFOD_URLS="};
  if (const char* const path = std::getenv("PATH")) environment.push_back(fmt::format("PATH={}", path));
  return environment;
}

char state_of(const process::Roots& roots, pid_t pid) {
  return process::parse_status(process::text_of(roots.proc / std::to_string(pid) / "status")).state;
}

NativeStacks stacks_of(const process::Roots& roots, const Debugger& debugger, pid_t pid, milliseconds time) {
  const char state = state_of(roots, pid);
  if (state == process::kGone || state == 'Z' || state == 'X')
    return {.text = {}, .why_not = fmt::format("it {}", state_in_words(state))};
  const process::Command command{debugger.command(std::to_string(pid)), environment_for_debuggers()};
  auto captured = process::capture(command, time, kMaxDebuggerBytes);
  if (!captured.ok()) return {.text = {}, .why_not = captured.error().why};
  process::Captured said = std::move(captured).value();
  // A debugger that is killed while it attaches may leave its stop signal behind.
  if (said.timed_out && state != 'T' && state_of(roots, pid) == 'T') ::kill(pid, SIGCONT);
  if (said.out.find("#0 ") != std::string::npos) {
    return {.text = fmt::format("lockstep_native_stacks 1 pid {} by {}\n{}", pid, debugger.name, said.out),
            .why_not = {}};
  }
  if (said.timed_out) return {.text = {}, .why_not = fmt::format("{} took too long", debugger.name)};
  return {.text = {}, .why_not = fmt::format("{} says: {}", debugger.name, reason_in(said.err))};
}

}  // namespace

std::string why_tracing_is_forbidden(const process::Roots& roots, bool is_root) {
  const auto scope =
      base::number_in<int>(base::trimmed(process::text_of(roots.proc / "sys/kernel/yama/ptrace_scope")));
  constexpr int kOnlyRoot = 2;
  if (!scope || *scope == 0 || (is_root && *scope <= kOnlyRoot)) return {};
  return fmt::format(
      "kernel.yama.ptrace_scope is {}: {}", *scope,
      *scope > kOnlyRoot ? "nobody may trace" : "only root may trace processes it did not start");
}

std::vector<NativeStacks> native_stacks_of(const process::Roots& roots, const std::vector<pid_t>& pids,
                                           milliseconds time) {
  const auto deadline = Clock::now() + time;
  const Debugger* const debugger = installed_debugger();
  std::string why_none = why_tracing_is_forbidden(roots, ::geteuid() == 0);
  if (debugger == nullptr) why_none = "neither gdb nor eu-stack is installed";
  std::vector<NativeStacks> answers;
  for (const pid_t pid : pids) {
    const auto left = std::chrono::floor<milliseconds>(deadline - Clock::now());
    if (!why_none.empty()) {
      answers.push_back({.text = {}, .why_not = why_none});
    } else if (left.count() <= 0) {
      answers.push_back({.text = {}, .why_not = "the processes before it took all the time"});
    } else {
      answers.push_back(stacks_of(roots, *debugger, pid, left));
    }
  }
  return answers;
}

std::string reason_in(std::string_view said) {
  std::string_view reason = "nothing";
  base::Lines lines(said);
  while (const auto line = lines.next()) {
    const std::string_view text = base::trimmed(*line);
    if (text.empty() || text.find("warning") != std::string_view::npos) continue;
    reason = text;
    if (text.find("ptrace") != std::string_view::npos) break;
  }
  return std::string(reason);
}

}  // namespace lockstep::evidence
