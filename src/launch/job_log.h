// What a job prints, kept in its recording while it passes.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "process/descriptor.h"
#include "process/run.h"

namespace lockstep::launch {

class JobLog {
 public:
  static Result<JobLog> in_recording(const std::filesystem::path& folder);

  void keep(process::Stream stream, std::string_view bytes);
  // What follows is the job's answer to being ended: kept where no judge looks.
  void begin_ending();
  // Takes files away into which nothing was printed.
  void finish();
  bool is_whole() const { return is_whole_; }  // false: the disk did not take everything

 private:
  explicit JobLog(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open(std::string_view stem);

  std::filesystem::path folder_;
  process::Descriptor out_;
  process::Descriptor err_;
  bool is_whole_ = true;
};

}  // namespace lockstep::launch
