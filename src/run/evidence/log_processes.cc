#include "run/evidence/log_processes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unistd.h>

#include "base/process/proc_files.h"
#include "run/evidence/open_files.h"

namespace lockstep::evidence {
namespace {

// By file or pipe.
struct OpenBy {
  std::map<FileIdentity, std::set<pid_t>> writers;
  std::multimap<pid_t, FileIdentity> read_pipes;
};

OpenBy open_by_whom(const process::Roots& roots) {
  OpenBy open;
  for (const OpenFile& file : open_files(roots)) {
    if (file.pid == ::getpid()) continue;
    if (file.is_written) open.writers[file.file].insert(file.pid);
    if (file.is_read && file.kind == FileKind::kPipe) open.read_pipes.emplace(file.pid, file.file);
  }
  return open;
}

std::set<pid_t> with_those_who_feed_them(const OpenBy& open, const std::set<pid_t>& writers) {
  std::set<pid_t> all = writers;
  for (const pid_t writer : writers) {
    const auto [first, last] = open.read_pipes.equal_range(writer);
    for (auto pipe = first; pipe != last; ++pipe) {
      if (const auto fed = open.writers.find(pipe->second); fed != open.writers.end())
        all.insert(fed->second.begin(), fed->second.end());
    }
  }
  return all;
}

std::multimap<pid_t, pid_t> children_by_parent(const process::Roots& roots) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes(roots)) {
    if (const auto stat = process::parse_stat(process::text_of(roots.proc / std::to_string(pid) / "stat")))
      children.emplace(static_cast<pid_t>(stat->parent), pid);
  }
  return children;
}

std::set<pid_t> with_all_below(const std::multimap<pid_t, pid_t>& children, const std::set<pid_t>& writers) {
  std::set<pid_t> all;
  std::vector<pid_t> left(writers.begin(), writers.end());
  while (!left.empty()) {
    const pid_t pid = left.back();
    left.pop_back();
    if (pid == ::getpid() || !all.insert(pid).second) continue;
    const auto [first, last] = children.equal_range(pid);
    std::transform(first, last, std::back_inserter(left), [](const auto& child) { return child.second; });
  }
  return all;
}

}  // namespace

std::vector<WrittenLog> written_logs(const process::Roots& roots, std::span<const std::filesystem::path> logs,
                                     std::chrono::system_clock::time_point since) {
  std::vector<WrittenLog> written;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const auto life = life_of(logs[log]);
    if (life && life->kind == FileKind::kRegular)
      written.push_back({.log = log, .life = *life, .writers = {}, .processes = {}});
  }
  const auto is_fresh = [&](const WrittenLog& log) { return log.life.written >= since; };
  if (std::ranges::none_of(written, is_fresh)) return {};
  const OpenBy open = open_by_whom(roots);
  std::erase_if(written, [&](WrittenLog& log) {
    const auto by = open.writers.find(log.life.file);
    if (by == open.writers.end()) return true;
    const std::set<pid_t> writers = with_those_who_feed_them(open, by->second);
    log.writers.assign(writers.begin(), writers.end());
    return false;
  });
  if (written.empty()) return written;
  const auto children = children_by_parent(roots);
  for (WrittenLog& log : written) {
    const std::set<pid_t> all = with_all_below(children, {log.writers.begin(), log.writers.end()});
    log.processes.assign(all.begin(), all.end());
  }
  return written;
}

}  // namespace lockstep::evidence
