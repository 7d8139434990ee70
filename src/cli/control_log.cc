#include "cli/control_log.h"

#include <chrono>
#include <fcntl.h>

#include <fmt/chrono.h>

#include "base/file.h"

namespace lockstep::cli {

namespace fs = std::filesystem;

Result<ControlLog> ControlLog::in_folder(const fs::path& folder) {
  constexpr const char* kHint = "choose another place with -o DIR";
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), kHint};
  if (!fs::is_empty(folder, fault) || fault)
    return Error{"cannot use the folder", folder.string(), fault ? fault.message() : "it is not empty",
                 kHint};
  ControlLog log(folder);
  TRY(log.open("rank_0"));
  return log;
}

Result<void> ControlLog::open(std::string_view stem) {
  for (const auto& [descriptor, ending] : {std::pair(&out_, ".out"), std::pair(&err_, ".err")}) {
    const fs::path path = folder_ / (std::string(stem) + ending);
    *descriptor = process::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor->is_open()) return base::error_from_errno("cannot write", path);
  }
  return {};
}

void ControlLog::keep(process::Stream stream, std::string_view bytes) {
  const process::Descriptor& file = stream == process::Stream::kOut ? out_ : err_;
  if (!base::write_all(file.get(), bytes)) is_whole_ = false;
}

void ControlLog::begin_ending() {
  if (!open("after_the_end_was_asked").ok()) is_whole_ = false;
}

void ControlLog::discard() {
  std::error_code ignored;
  for (const fs::path& file : evidence()) fs::remove(file, ignored);
  fs::remove(folder_, ignored);
}

std::vector<fs::path> ControlLog::evidence() const {
  return {folder_ / "rank_0.out", errors()};
}

fs::path new_folder_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("lockstep-isolate-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

}  // namespace lockstep::cli
