#include "run/supervise/job_log.h"

#include <utility>

namespace lockstep::supervise {

namespace fs = std::filesystem;

Result<JobLog> JobLog::in_recording(const fs::path& recording) {
  const fs::path folder = recording / "output";
  std::error_code fault;
  fs::create_directory(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), ""};
  process::OutputFiles files = TRY(process::OutputFiles::open(folder, "job"));
  return JobLog(folder, std::move(files));
}

void JobLog::finish() {
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, ignored)) {
    if (file.file_size(ignored) == 0) fs::remove(file.path(), ignored);
  }
}

}  // namespace lockstep::supervise
