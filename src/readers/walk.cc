#include "readers/walk.h"

#include <algorithm>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/payload_format.h"

namespace lockstep::readers {
namespace {

namespace fs = std::filesystem;

// What stands in a recording's folder besides evidence.
bool is_about_the_recording(std::string_view name) {
  return name == "manifest.json" || name == "incomplete" || name == "findings.json" ||
         name == LOCKSTEP_PAYLOAD_FOLDER;
}

class Walker {
 public:
  void visit_named(const fs::path& path) {
    if (path == "-") {
      result_.files.push_back({.name = "standard input", .path = path, .size_bytes = 0});
      return;
    }
    visit(path, true);
    while (!folders_.empty()) {
      const fs::path folder = std::move(folders_.back());
      folders_.pop_back();
      list(folder);
    }
  }

  Walk result() && {
    std::ranges::sort(result_.files, {}, &InputFile::name);
    std::ranges::sort(result_.limits);
    return std::move(result_);
  }

 private:
  void visit(const fs::path& path, bool is_named) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      limit(path, std::generic_category().message(errno));
      return;
    }
    const bool is_new = seen_.emplace(status.st_dev, status.st_ino).second;
    if (S_ISDIR(status.st_mode)) {
      if (is_new) folders_.push_back(path);
    } else if (S_ISREG(status.st_mode) || is_named) {
      if (is_new) add(path, static_cast<std::uintmax_t>(status.st_size));
    } else {
      limit(path, "not a regular file, passed over");
    }
  }

  void list(const fs::path& folder) {
    std::error_code error;
    const bool is_recording = fs::exists(folder / "manifest.json", error);
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const bool is_hidden = name.starts_with('.');
      if (!is_hidden && !(is_recording && is_about_the_recording(name))) visit(entry->path(), false);
    }
    if (error) limit(folder, fmt::format("cannot list the folder: {}", error.message()));
  }

  void add(const fs::path& path, std::uintmax_t size) {
    std::error_code error;
    fs::path absolute = fs::absolute(path, error);
    result_.files.push_back({.name = path.lexically_normal().string(),
                             .path = error ? path : absolute.lexically_normal(),
                             .size_bytes = size});
  }

  void limit(const fs::path& path, std::string_view why) {
    result_.limits.push_back(fmt::format("{}: {}", path.lexically_normal().string(), why));
  }

  Walk result_;
  std::vector<fs::path> folders_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

Walk walk(const std::vector<fs::path>& paths) {
  std::vector<fs::path> sorted = paths;
  std::ranges::sort(sorted);
  Walker walker;
  for (const fs::path& path : sorted) walker.visit_named(path);
  return std::move(walker).result();
}

}  // namespace lockstep::readers
