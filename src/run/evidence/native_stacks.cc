#include "run/evidence/native_stacks.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/capture.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "run/evidence/process_facts.h"

namespace lockstep::evidence {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

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
  auto captured = process::capture(command, time, kMostBytes);
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
