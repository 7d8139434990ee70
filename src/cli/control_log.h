// What a control run prints, kept in its folder while it passes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "process/descriptor.h"
#include "process/run.h"

namespace lockstep::cli {

class ControlLog {
 public:
  // The folder is made; one that holds anything already is refused.
  static Result<ControlLog> in_folder(const std::filesystem::path& folder);

  void keep(process::Stream stream, std::string_view bytes);
  // What follows is the job's answer to being ended: kept, but no evidence.
  void begin_ending();
  void discard();  // nothing ran: take the folder away again

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path errors() const { return folder_ / "rank_0.err"; }
  std::vector<std::filesystem::path> evidence() const;
  bool is_whole() const { return is_whole_; }  // false: the disk did not take everything

 private:
  explicit ControlLog(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open(std::string_view stem);

  std::filesystem::path folder_;
  process::Descriptor out_;
  process::Descriptor err_;
  bool is_whole_ = true;
};

// "lockstep-isolate-20261115-154501", in the current folder.
std::filesystem::path new_folder_name();

}  // namespace lockstep::cli
