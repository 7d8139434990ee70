#include "run/evidence/open_files.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>

#include "base/text_fields.h"

namespace lockstep::evidence {
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
  for (const pid_t pid : all_processes(roots)) add_files_of(roots, pid, files);
  return files;
}

std::vector<pid_t> all_processes(const process::Roots& roots) {
  std::vector<pid_t> pids;
  std::error_code fault;
  for (fs::directory_iterator entry(roots.proc, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (const auto pid = base::number_in<pid_t>(entry->path().filename().native())) pids.push_back(*pid);
  }
  std::ranges::sort(pids);
  return pids;
}

}  // namespace lockstep::evidence
