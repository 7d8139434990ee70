#include "run/evidence/process_facts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "launchers/rank_variables.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& path) {
  return std::string(base::trimmed(process::text_of(path)));
}

// "0" stands for "it runs" and for "not for you".
std::string waits_in(const fs::path& folder) {
  std::string function = line_of(folder / "wchan");
  return function == "0" ? std::string() : function;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> kept;
  base::Lines lines(text);
  while (const auto line = lines.next()) kept.emplace_back(base::trimmed(base::rest_after(*line, "] ")));
  return kept;
}

template <typename Visit>
void for_each_entry(const fs::path& folder, Visit visit) {
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    visit(entry->path());
  }
}

std::vector<ThreadFacts> threads_in(const fs::path& folder) {
  std::vector<ThreadFacts> threads;
  for_each_entry(folder, [&](const fs::path& thread) {
    const auto tid = base::number_in<pid_t>(thread.filename().native());
    if (!tid || threads.size() >= kMaxThreads) return;
    const auto stat = process::parse_stat(process::text_of(thread / "stat"));
    threads.push_back({.tid = *tid,
                       .name = line_of(thread / "comm"),
                       .state = stat ? stat->state : process::kGone,
                       .waits_in = waits_in(thread)});
  });
  std::ranges::sort(threads, {}, &ThreadFacts::tid);
  return threads;
}

std::optional<std::uint64_t> count_entries(const fs::path& folder) {
  std::error_code fault;
  fs::directory_iterator entry(folder, fault);
  if (fault) return std::nullopt;
  std::uint64_t count = 0;
  for (; !fault && entry != fs::directory_iterator(); entry.increment(fault)) ++count;
  return count;
}

}  // namespace

ProcessFacts facts_of_process(const process::Roots& roots, pid_t pid) {
  const std::string number = std::to_string(pid);
  const fs::path folder = roots.proc / number;
  ProcessFacts facts;
  facts.pid = pid;
  const auto stat = process::parse_stat(process::text_of(folder / "stat"));
  if (!stat) return facts;
  facts.state = stat->state;
  const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  facts.cpu_seconds = static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks_a_second;
  process::Status status = process::parse_status(process::text_of(folder / "status"));
  facts.name = std::move(status.name);
  facts.thread_count = status.threads;
  facts.resident_bytes = status.resident_bytes;
  facts.peak_resident_bytes = status.peak_resident_bytes;
  facts.swapped_bytes = status.swapped_bytes;
  facts.waits_in = waits_in(folder);
  facts.system_call = line_of(folder / "syscall");
  facts.kernel_stack = lines_of(process::text_of(folder / "stack"));
  facts.threads = threads_in(folder / "task");
  facts.open_files = count_entries(folder / "fd");
  facts.open_files_limit = process::parse_soft_limit(process::text_of(folder / "limits"), "Max open files");
  facts.oom_score = base::number_in<std::int64_t>(line_of(folder / "oom_score"));
  facts.cgroup = hostinfo::read_cgroup(roots, number);
  return facts;
}

std::string_view state_in_words(char state) {
  switch (state) {
    case process::kGone:
      return "is gone";
    case 'R':
      return "runs";
    case 'S':
    case 'I':
      return "sleeps";
    case 'D':
      return "waits in the kernel and cannot be woken";
    case 'T':
      return "is stopped by a signal";
    case 't':
      return "is stopped by a debugger";
    case 'Z':
    case 'X':
      return "has ended";
    default:
      return "is in a state this tool does not know";
  }
}

std::string_view variable_in(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::string_view one = base::word_of(environ, '\0');
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    environ.remove_prefix(std::min(environ.size(), one.size() + 1));
  }
  return {};
}

std::optional<int> rank_of_process(const process::Roots& roots, pid_t pid) {
  const std::string environ = process::text_of(roots.proc / std::to_string(pid) / "environ");
  for (const launchers::RankVariables* variables : launchers::kAllRankVariables) {
    if (const auto rank = base::number_in<int>(variable_in(environ, variables->rank))) return rank;
  }
  return std::nullopt;
}

}  // namespace lockstep::evidence
