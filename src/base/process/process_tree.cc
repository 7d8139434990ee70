#include "base/process/process_tree.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>

#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::process {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t parent = 0;
  std::uint64_t start_time = 0;  // with the number, names the process for ever
};

// "7 (name, which may hold anything) S 1 ...": fields are counted from the last bracket.
std::optional<Process> process_with(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(stat).substr(bracket + 1);
  constexpr int kParent = 4;
  constexpr int kStartTime = 22;
  Process process;
  for (int field = 3; field <= kStartTime && !rest.empty(); ++field) {
    rest.remove_prefix(1);
    const std::string_view word = base::word_of(rest);
    if (field == kParent) process.parent = base::number_in<pid_t>(word).value_or(0);
    if (field == kStartTime) process.start_time = base::number_in<std::uint64_t>(word).value_or(0);
    rest.remove_prefix(word.size());
  }
  return process;
}

struct Descendant {
  pid_t pid;
  std::uint64_t start_time;
};

std::vector<Descendant> find_descendants() {
  std::unordered_multimap<pid_t, Descendant> children;
  std::error_code fault;
  for (fs::directory_iterator entry("/proc", fault), end; !fault && entry != end; entry.increment(fault)) {
    const auto pid = base::number_in<pid_t>(entry->path().filename().native());
    if (!pid) continue;
    const auto process = process_with(*pid);
    if (process) children.emplace(process->parent, Descendant{*pid, process->start_time});
  }
  std::vector<Descendant> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  };
  add_children_of(::getpid());
  for (std::size_t at = 0; at < found.size(); ++at) add_children_of(found[at].pid);
  return found;
}

}  // namespace

std::vector<pid_t> descendants() {
  std::vector<pid_t> pids;
  for (const Descendant& descendant : find_descendants()) pids.push_back(descendant.pid);
  return pids;
}

void signal_descendants(int number) {
  for (const Descendant& descendant : find_descendants()) {
    // A pidfd holds one process; what is checked after it was opened is true of what it holds.
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, descendant.pid, 0)));
    if (!handle.is_open()) continue;
    const auto now = process_with(descendant.pid);
    if (!now || now->start_time != descendant.start_time) continue;
    ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0);
  }
}

}  // namespace lockstep::process
