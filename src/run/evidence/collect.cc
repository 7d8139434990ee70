#include "run/evidence/collect.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "run/evidence/native_stacks.h"
#include "run/evidence/python_stacks.h"

namespace lockstep::evidence {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::string name_of(const Subject& subject) {
  return subject.rank ? fmt::format("rank {} (pid {})", *subject.rank, subject.pid)
                      : fmt::format("pid {}", subject.pid);
}

std::vector<pid_t> pids_of(const Request& request) {
  std::vector<pid_t> pids;
  for (const Subject& subject : request.subjects) pids.push_back(subject.pid);
  return pids;
}

void look_at_processes(const Request& request, Clock::time_point deadline, Account& account) {
  std::size_t left_out = 0;
  for (const Subject& subject : request.subjects) {
    Testimony testimony;
    testimony.subject = subject;
    testimony.facts.pid = subject.pid;
    if (Clock::now() < deadline) {
      testimony.facts = facts_of_process(request.roots, subject.pid);
    } else {
      ++left_out;
    }
    account.processes.push_back(std::move(testimony));
  }
  if (left_out > 0)
    account.limits.push_back(fmt::format("{} processes were not looked at for lack of time", left_out));
}

// One sentence for all processes that have the same reason.
void add_limits(const std::vector<std::string>& reasons, std::string_view what, Account& account) {
  for (std::size_t at = 0; at < reasons.size(); ++at) {
    const bool is_told = std::find(reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(at),
                                   reasons[at]) != reasons.begin() + static_cast<std::ptrdiff_t>(at);
    if (reasons[at].empty() || is_told) continue;
    const auto others = std::count(reasons.begin(), reasons.end(), reasons[at]) - 1;
    std::string who = name_of(account.processes[at].subject);
    if (others > 0) who += fmt::format(" and {} more", others);
    account.limits.push_back(fmt::format("{}: no {}: {}", who, what, reasons[at]));
  }
}

void ask_python(const Request& request, milliseconds time, Account& account) {
  std::vector<PythonStacks> answers = ask_for_python_stacks(request.roots, pids_of(request), time);
  std::vector<std::string> reasons;
  for (std::size_t at = 0; at < answers.size(); ++at) {
    account.processes[at].python_stacks = std::move(answers[at].text);
    reasons.push_back(std::move(answers[at].why_not));
  }
  add_limits(reasons, "Python stacks", account);
}

void ask_debugger(const Request& request, Account& account) {
  std::vector<NativeStacks> answers = native_stacks_of(request.roots, pids_of(request), request.native_time);
  std::vector<std::string> reasons;
  for (std::size_t at = 0; at < answers.size(); ++at) {
    account.processes[at].native_stacks = std::move(answers[at].text);
    reasons.push_back(std::move(answers[at].why_not));
  }
  add_limits(reasons, "native stacks", account);
}

// Without a beginning, what the kernel wrote cannot be told from what it wrote of earlier jobs.
void look_at_host(const Request& request, milliseconds time, Account& account) {
  hostinfo::HostStateRequest asked{
      .roots = request.roots, .folders = request.folders, .kernel_lines_since_ns = {}, .time = time};
  if (request.host_at_begin) asked.kernel_lines_since_ns = request.host_at_begin->monotonic_ns;
  account.host = hostinfo::read_host_state(asked);
  account.host_at_begin = request.host_at_begin;
  if (account.host_at_begin) account.changes = hostinfo::changes(*account.host_at_begin, account.host);
}

}  // namespace

// Processes first, before anything disturbs them; half of the time for what they answer, the rest for the
// host.
Account collect(const Request& request) {
  const auto deadline = Clock::now() + request.time;
  Account account;
  look_at_processes(request, Clock::now() + request.time / 4, account);
  ask_python(request, request.time / 2, account);
  const auto left = std::chrono::floor<milliseconds>(deadline - Clock::now());
  look_at_host(request, std::max(left, milliseconds{0}), account);
  account.limits.insert(account.limits.end(), account.host.limits.begin(), account.host.limits.end());
  if (request.wants_native_stacks) ask_debugger(request, account);
  return account;
}

}  // namespace lockstep::evidence
