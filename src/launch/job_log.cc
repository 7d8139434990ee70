#include "launch/job_log.h"

#include <fcntl.h>
#include <string>
#include <utility>

#include "base/file.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

Result<JobLog> JobLog::in_recording(const fs::path& folder) {
  std::error_code fault;
  fs::create_directory(folder / "output", fault);
  if (fault) return Error{"cannot make the folder", (folder / "output").string(), fault.message(), ""};
  JobLog log(folder / "output");
  TRY(log.open("job"));
  return log;
}

Result<void> JobLog::open(std::string_view stem) {
  for (const auto& [descriptor, ending] : {std::pair(&out_, ".out"), std::pair(&err_, ".err")}) {
    const fs::path path = folder_ / (std::string(stem) + ending);
    *descriptor = process::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor->is_open()) return base::error_from_errno("cannot write", path);
  }
  return {};
}

void JobLog::keep(process::Stream stream, std::string_view bytes) {
  const process::Descriptor& file = stream == process::Stream::kOut ? out_ : err_;
  if (!base::write_all(file.get(), bytes)) is_whole_ = false;
}

void JobLog::finish() {
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, ignored)) {
    if (file.file_size(ignored) == 0) fs::remove(file.path(), ignored);
  }
}

void JobLog::begin_ending() {
  if (!open(".after_the_end_was_asked").ok()) is_whole_ = false;
}

}  // namespace lockstep::launch
