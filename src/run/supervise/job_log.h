// What a job prints, kept in its recording while it passes.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/process/run.h"
#include "base/result.h"

namespace lockstep::supervise {

class JobLog {
 public:
  static Result<JobLog> in_recording(const std::filesystem::path& recording);

  void keep(process::Stream stream, std::string_view bytes) { files_.keep(stream, bytes); }
  // What follows is the job's answer to being ended: kept where no judge looks.
  void begin_ending() { files_.go_on_in(".after_the_end_was_asked"); }
  // Takes files away into which nothing was printed.
  void finish();
  bool is_whole() const { return files_.is_whole(); }

 private:
  JobLog(std::filesystem::path folder, process::OutputFiles files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  std::filesystem::path folder_;
  process::OutputFiles files_;
};

}  // namespace lockstep::supervise
