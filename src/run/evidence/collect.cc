#include "run/evidence/collect.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "hostinfo/state/kernel_log.h"
#include "run/evidence/stacks.h"

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

namespace {

namespace fs = std::filesystem;

std::string in_a_file_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.'; },
      '_');
  return name;
}

bool has_stacks(const Account& account) {
  return std::ranges::any_of(account.processes, [](const Testimony& one) {
    return !one.python_stacks.empty() || !one.native_stacks.empty();
  });
}

// An empty text leaves no file, not even that of an earlier fault.
Result<void> keep_text(const fs::path& file, const std::string& text) {
  if (!text.empty()) return base::write_file(file, text);
  std::error_code fault;
  fs::remove(file, fault);
  return {};
}

std::string kernel_lines_about(const Account& account) {
  std::vector<pid_t> pids;
  for (const Testimony& testimony : account.processes) pids.push_back(testimony.subject.pid);
  std::string lines;
  for (const std::string& line : account.host.kernel_lines) {
    if (hostinfo::is_about(line, pids)) lines += line + "\n";
  }
  return lines;
}

}  // namespace

std::string stacks_file_name(const Subject& subject, std::string_view kind) {
  if (!subject.rank) return fmt::format("pid_{}.{}.txt", subject.pid, kind);
  return fmt::format("rank_{:05}.restart_{}.{}.txt", *subject.rank, subject.restart, kind);
}

Result<void> keep(const Account& account, const fs::path& recording) {
  const fs::path facts = recording / fmt::format("host_{}.json", in_a_file_name(account.host.name));
  TRY(base::write_file(facts, to_text(to_json(account), base::JsonLayout::kIndented) + "\n"));
  TRY(keep_text(recording / fmt::format("kernel_{}.log", in_a_file_name(account.host.name)),
                kernel_lines_about(account)));
  const fs::path stacks = recording / "stacks";
  std::error_code fault;
  if (has_stacks(account)) fs::create_directories(stacks, fault);
  if (fault) return Error{"cannot make", stacks.string(), fault.message(), ""};
  for (const Testimony& testimony : account.processes) {
    TRY(keep_text(stacks / stacks_file_name(testimony.subject, "python"), testimony.python_stacks));
    TRY(keep_text(stacks / stacks_file_name(testimony.subject, "native"), testimony.native_stacks));
  }
  return {};
}

namespace {

using base::Json;

// What is not known is not there.
template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}
void put(Json& json, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) json[key] = values;
}

Json to_json(const hostinfo::CgroupState& facts) {
  Json json = Json::object();
  put(json, "memory_bytes", facts.memory_bytes);
  put(json, "memory_limit_bytes", facts.memory_limit_bytes);
  put(json, "oom_kills", facts.oom_kills);
  put(json, "cpu_quota", facts.cpu_quota);
  put(json, "times_throttled", facts.times_throttled);
  return json;
}

Json to_json(const hostinfo::Memory& memory) {
  Json json = Json::object();
  put(json, "total_bytes", memory.total_bytes);
  put(json, "available_bytes", memory.available_bytes);
  put(json, "swap_total_bytes", memory.swap_total_bytes);
  put(json, "swap_free_bytes", memory.swap_free_bytes);
  return json;
}

Json to_json(const hostinfo::Disk& disk) {
  return {{"folder", disk.folder},
          {"total_bytes", disk.total_bytes},
          {"free_bytes", disk.free_bytes},
          {"free_files", disk.free_files}};
}

Json to_json(const hostinfo::Link& link) {
  Json json = {{"name", link.name}};
  put(json, "state", link.state);
  json["troubles"] = link.troubles;
  return json;
}

Json to_json(const hostinfo::GpuState& gpu) {
  Json json = {{"index", gpu.gpu.index}};
  put(json, "name", gpu.gpu.name);
  put(json, "pci", gpu.gpu.pci);
  put(json, "fault", gpu.fault);
  put(json, "busy_percent", gpu.busy_percent);
  put(json, "memory_used_bytes", gpu.memory_used_bytes);
  put(json, "memory_total_bytes", gpu.gpu.memory_bytes);
  put(json, "celsius", gpu.celsius);
  put(json, "slowed_by", gpu.slowed_by);
  put(json, "memory_errors_corrected", gpu.memory_errors_corrected);
  put(json, "memory_errors_uncorrected", gpu.memory_errors_uncorrected);
  return json;
}

Json to_json(const ThreadFacts& thread) {
  Json json = {{"tid", thread.tid}, {"name", thread.name}, {"state", state_in_words(thread.state)}};
  put(json, "waits_in", thread.waits_in);
  return json;
}

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

Json to_json(const hostinfo::HostState& facts) {
  Json json = {{"wall_ns", facts.clock.wall_ns},
               {"monotonic_ns", facts.monotonic_ns},
               {"clock_is_synchronised", facts.clock.is_synchronised},
               {"clock_largest_error_us", facts.clock.largest_error_us},
               {"cpus", facts.cpus}};
  if (facts.load)
    json["load"] = {facts.load->one_minute, facts.load->five_minutes, facts.load->fifteen_minutes};
  json["memory"] = to_json(facts.memory);
  json["cgroup"] = to_json(facts.cgroup);
  put(json, "oom_kills", facts.oom_kills);
  put(json, "tcp_segments_sent_again", facts.tcp_segments_sent_again);
  json["disks"] = list_of(facts.disks);
  json["links"] = list_of(facts.links);
  json["gpus"] = list_of(facts.gpus);
  put(json, "kernel_lines", facts.kernel_lines);
  return json;
}

Json to_json(const Testimony& testimony) {
  const ProcessFacts& facts = testimony.facts;
  Json json = Json::object();
  put(json, "rank", testimony.subject.rank);
  json["restart"] = testimony.subject.restart;
  json["pid"] = testimony.subject.pid;
  json["state"] = state_in_words(facts.state);
  if (facts.state == process::kGone) return json;
  json["name"] = facts.name;
  put(json, "waits_in", facts.waits_in);
  put(json, "system_call", facts.system_call);
  put(json, "kernel_stack", facts.kernel_stack);
  put(json, "cpu_seconds", facts.cpu_seconds);
  put(json, "resident_bytes", facts.resident_bytes);
  put(json, "peak_resident_bytes", facts.peak_resident_bytes);
  put(json, "swapped_bytes", facts.swapped_bytes);
  put(json, "open_files", facts.open_files);
  put(json, "open_files_limit", facts.open_files_limit);
  put(json, "oom_score", facts.oom_score);
  json["cgroup"] = to_json(facts.cgroup);
  json["thread_count"] = facts.thread_count;
  json["threads"] = list_of(facts.threads);
  return json;
}

Json to_json(const Account& account) {
  Json json = {{"schema", "lockstep-host-v1"}, {"host", account.host.name}};
  if (account.host_at_begin) {
    json["changes"] = account.changes;
    json["at_begin"] = to_json(*account.host_at_begin);
  }
  json["at_fault"] = to_json(account.host);
  json["processes"] = list_of(account.processes);
  json["limits"] = account.limits;
  return json;
}

}  // namespace lockstep::evidence
