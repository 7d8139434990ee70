#include "service/engine/artifacts.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

#include "service/job/spec_fields.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxArtifacts = 10'000;

std::optional<Artifact> artifact_at(const fs::path& file, const fs::path& folder) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Artifact{file.lexically_relative(folder).string(), found.st_size,
                  found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace

Artifacts artifacts_in(const fs::path& folder, const std::map<std::string, std::string>& brought) {
  Artifacts artifacts;
  std::error_code fault;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, options, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    auto artifact = artifact_at(entry->path(), folder);
    if (!artifact || brought.contains(artifact->path)) continue;
    if (artifacts.found.size() == kMaxArtifacts) {
      artifacts.is_cut = true;
      break;
    }
    artifacts.found.push_back(std::move(*artifact));
  }
  std::ranges::sort(artifacts.found, {}, &Artifact::path);
  return artifacts;
}

std::optional<process::Descriptor> open_artifact(const fs::path& folder, const std::string& path) {
  if (!stays_inside(path)) return std::nullopt;
  process::Descriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const fs::path whole(path);
  for (const fs::path& part : whole.parent_path()) {
    if (!at.is_open()) return std::nullopt;
    at = process::Descriptor(
        ::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.is_open()) return std::nullopt;
  process::Descriptor file(
      ::openat(at.get(), whole.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return file;
}

}  // namespace lockstep::service
