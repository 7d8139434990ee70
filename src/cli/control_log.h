// What a control run prints, kept in its folder while it passes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/process/run.h"
#include "base/result.h"

namespace lockstep::cli {

class ControlLog {
 public:
  // The folder is made; one that holds anything already is refused.
  static Result<ControlLog> in_folder(const std::filesystem::path& folder);

  void keep(process::Stream stream, std::string_view bytes) { files_.keep(stream, bytes); }
  // What follows is the job's answer to being ended: kept, but no evidence.
  void begin_ending() { files_.go_on_in("after_the_end_was_asked"); }
  void discard();  // nothing ran: take the folder away again

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path errors() const { return folder_ / "rank_0.err"; }
  std::vector<std::filesystem::path> evidence() const;
  bool is_whole() const { return files_.is_whole(); }

 private:
  ControlLog(std::filesystem::path folder, process::OutputFiles files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  std::filesystem::path folder_;
  process::OutputFiles files_;
};

// "lockstep-isolate-20261115-154501", in the current folder.
std::filesystem::path new_folder_name();

}  // namespace lockstep::cli
