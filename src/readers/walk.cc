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

// Whether `path` is `folder` or lies below it; both without links.
bool is_within(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(path, folder).in2 == folder.end();
}

class Walker {
 public:
  explicit Walker(const std::vector<fs::path>& named) {
    for (const fs::path& path : named) {
      std::error_code fault;
      fs::path real = fs::canonical(path, fault);
      if (!fault) named_.push_back(std::move(real));
    }
  }

  void visit_named(const fs::path& path) {
    if (path == "-") {
      result_.files.push_back({.name = "standard input", .path = path, .size_bytes = 0, .is_named = true});
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
    if (S_ISDIR(status.st_mode) && !is_named && leads_out(path)) {
      limit(path,
            "a link to a folder outside the given paths; not followed. "
            "Give that folder as well to have it read");
      return;
    }
    const bool is_new = seen_.emplace(status.st_dev, status.st_ino).second;
    if (S_ISDIR(status.st_mode)) {
      if (is_new) folders_.push_back(path);
    } else if (S_ISREG(status.st_mode) || is_named) {
      if (is_new) add(path, static_cast<std::uintmax_t>(status.st_size), is_named);
    } else {
      limit(path, "not a regular file, passed over");
    }
  }

  bool leads_out(const fs::path& path) const {
    std::error_code fault;
    if (!fs::is_symlink(path, fault)) return false;
    const fs::path real = fs::canonical(path, fault);
    return fault ||
           std::ranges::none_of(named_, [&](const fs::path& named) { return is_within(real, named); });
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

  void add(const fs::path& path, std::uintmax_t size, bool is_named) {
    std::error_code error;
    fs::path absolute = fs::absolute(path, error);
    result_.files.push_back({.name = path.lexically_normal().string(),
                             .path = error ? path : absolute.lexically_normal(),
                             .size_bytes = size,
                             .is_named = is_named});
  }

  void limit(const fs::path& path, std::string_view why) {
    result_.limits.push_back(fmt::format("{}: {}", path.lexically_normal().string(), why));
  }

  Walk result_;
  std::vector<fs::path> named_;  // without links
  std::vector<fs::path> folders_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

Walk walk(const std::vector<fs::path>& paths) {
  std::vector<fs::path> sorted = paths;
  std::ranges::sort(sorted);
  Walker walker(paths);
  for (const fs::path& path : sorted) walker.visit_named(path);
  return std::move(walker).result();
}

}  // namespace lockstep::readers
