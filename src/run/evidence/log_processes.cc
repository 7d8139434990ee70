#include "run/evidence/log_processes.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <map>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/process/proc_files.h"

namespace lockstep::evidence {
namespace {

std::chrono::system_clock::time_point time_from(const struct ::statx_timestamp& stamp) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec)));
}

FileKind kind_from(unsigned mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  return S_ISFIFO(mode) ? FileKind::kPipe : FileKind::kOther;
}

}  // namespace

std::optional<FileLife> life_of(const std::filesystem::path& path) {
  struct ::statx seen {};
  constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_MTIME | STATX_BTIME;
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, kWanted, &seen) != 0) return std::nullopt;
  FileLife life;
  constexpr int kMajorBits = 32;
  life.file = {(std::uint64_t{seen.stx_dev_major} << kMajorBits) | seen.stx_dev_minor, seen.stx_ino};
  life.kind = kind_from(seen.stx_mode);
  if ((seen.stx_mask & STATX_BTIME) != 0) life.made = time_from(seen.stx_btime);
  life.written = time_from(seen.stx_mtime);
  return life;
}

bool lies_on_this_host(const std::filesystem::path& path) {
  constexpr std::array<std::uint64_t, 7> kOfThisHost = {0xEF53,       // ext2, ext3, ext4
                                                        0x58465342,   // XFS
                                                        0x9123683E,   // btrfs
                                                        0x01021994,   // tmpfs
                                                        0x794C7630,   // overlay
                                                        0x2FC12FC1,   // ZFS
                                                        0xF2F52010};  // F2FS
  struct ::statfs system {};
  if (::statfs(path.c_str(), &system) != 0) return false;
  return std::ranges::find(kOfThisHost, static_cast<std::uint32_t>(system.f_type)) != kOfThisHost.end();
}

namespace {

namespace fs = std::filesystem;

// The kernel shows how a descriptor was opened as the permissions of its link.
struct Access {
  bool is_read = false;
  bool is_written = false;
};

Access access_of(const fs::path& descriptor) {
  struct ::stat link {};
  if (::lstat(descriptor.c_str(), &link) != 0) return {};
  return {(link.st_mode & S_IRUSR) != 0, (link.st_mode & S_IWUSR) != 0};
}

void add_files_of(const process::Roots& roots, pid_t pid, std::vector<OpenFile>& files) {
  std::error_code fault;
  for (fs::directory_iterator entry(roots.proc / std::to_string(pid) / "fd", fault), end;
       !fault && entry != end; entry.increment(fault)) {
    const auto life = life_of(entry->path());
    if (!life || life->kind == FileKind::kOther) continue;
    const Access access = access_of(entry->path());
    files.push_back({pid, life->file, life->kind, access.is_read, access.is_written});
  }
}

}  // namespace

std::vector<OpenFile> open_files(const process::Roots& roots) {
  std::vector<OpenFile> files;
  for (const pid_t pid : process::all_processes(roots)) add_files_of(roots, pid, files);
  return files;
}

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

std::set<pid_t> with_all_below(const process::ProcessTree& tree, const std::vector<pid_t>& writers) {
  std::set<pid_t> all;
  for (const pid_t writer : writers) {
    if (!all.insert(writer).second) continue;
    for (const process::ProcessIdentity& process : tree.below(writer, ::getpid())) all.insert(process.pid);
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
  const process::ProcessTree tree(roots);
  for (WrittenLog& log : written) {
    const std::set<pid_t> all = with_all_below(tree, log.writers);
    log.processes.assign(all.begin(), all.end());
  }
  return written;
}

}  // namespace lockstep::evidence
