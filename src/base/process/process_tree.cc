#include "base/process/process_tree.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::process {
namespace {

namespace fs = std::filesystem;

std::optional<Stat> stat_of(const Roots& roots, pid_t pid) {
  return parse_stat(text_of(roots.proc / std::to_string(pid) / "stat"));
}

}  // namespace

std::vector<pid_t> all_processes(const Roots& roots) {
  std::vector<pid_t> pids;
  std::error_code fault;
  for (fs::directory_iterator entry(roots.proc, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (const auto pid = base::number_in<pid_t>(entry->path().filename().native())) pids.push_back(*pid);
  }
  std::ranges::sort(pids);
  return pids;
}

ProcessTree::ProcessTree(const Roots& roots) {
  for (const pid_t pid : all_processes(roots)) {
    if (const auto stat = stat_of(roots, pid)) {
      children_.emplace(static_cast<pid_t>(stat->parent), ProcessIdentity{pid, stat->start_ticks});
    }
  }
}

std::vector<ProcessIdentity> ProcessTree::below(pid_t top, pid_t without) const {
  std::vector<ProcessIdentity> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [begin, end] = children_.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      if (child->second.pid != without) found.push_back(child->second);
    }
  };
  add_children_of(top);
  for (std::size_t at = 0; at < found.size(); ++at) add_children_of(found[at].pid);
  return found;
}

void signal_descendants(int number, pid_t without) {
  const Roots roots;
  for (const ProcessIdentity& descendant : ProcessTree(roots).below(::getpid(), without)) {
    // A pidfd holds one process; what is checked after it was opened is true of what it holds.
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, descendant.pid, 0)));
    if (!handle.is_open()) continue;
    const auto now = stat_of(roots, descendant.pid);
    if (!now || now->start_ticks != descendant.start_ticks) continue;
    ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0);
  }
}

}  // namespace lockstep::process
