#include "cli/sent_files.h"

#include <fmt/format.h>

#include "base/file.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1024;
constexpr std::size_t kMostBytes = 5'000'000;  // as base64 they fit the largest request

bool is_left_out(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

class Sending {
 public:
  Result<void> add(const fs::path& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault)) return add_file(path, path_in_job(path));
    // "src/" and "src" are the same folder.
    const fs::path folder = path.has_filename() ? path : path.parent_path();
    for (auto entry = fs::recursive_directory_iterator(folder, fault);
         !fault && entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
      if (is_left_out(entry->path())) {
        if (entry->is_directory()) entry.disable_recursion_pending();
        continue;
      }
      if (entry->is_regular_file())
        TRY(add_file(entry->path(), (fs::path(path_in_job(folder)) / entry->path().lexically_relative(folder))
                                        .lexically_normal()
                                        .string()));
    }
    if (fault) return Error{"cannot read the folder", folder.string(), fault.message(), ""};
    return {};
  }

  std::map<std::string, std::string> take() { return std::move(files_); }

 private:
  Result<void> add_file(const fs::path& path, const std::string& name) {
    std::error_code missing;  // whoever reads it says so
    const std::uintmax_t size = fs::file_size(path, missing);
    if (!missing && (size > kMostBytes - bytes_ || files_.size() == kMostFiles)) return too_much(path);
    std::string bytes = TRY(base::read_file(path, kMostBytes - bytes_));
    bytes_ += bytes.size();
    files_[name] = std::move(bytes);
    return {};
  }

  static Error too_much(const fs::path& path) {
    return {"too much to send along", path.string(),
            fmt::format("a job takes {} files of {} MB together", kMostFiles, kMostBytes / 1'000'000),
            "put data where the ranks can read it, and send the code alone"};
  }

  std::map<std::string, std::string> files_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string path_in_job(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path relative = whole.lexically_relative(fs::current_path());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  if (is_below) return relative == "." ? "" : relative.string();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Result<std::map<std::string, std::string>> read_sent_files(const std::vector<std::string>& paths) {
  Sending sending;
  for (const std::string& path : paths) TRY(sending.add(path));
  return sending.take();
}

}  // namespace lockstep::cli
