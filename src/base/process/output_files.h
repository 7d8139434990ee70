// What a job prints, kept in two files while it passes: STEM.out and STEM.err.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/process/descriptor.h"
#include "base/process/run.h"
#include "base/result.h"

namespace lockstep::process {

class OutputFiles {
 public:
  static Result<OutputFiles> open(const std::filesystem::path& folder, std::string_view stem);

  void keep(Stream stream, std::string_view bytes);
  // What follows goes into files of another name.
  void go_on_in(std::string_view stem);
  bool is_whole() const { return is_whole_; }  // false: the disk did not take everything

 private:
  explicit OutputFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open_files(std::string_view stem);

  std::filesystem::path folder_;
  Descriptor out_;
  Descriptor err_;
  bool is_whole_ = true;
};

}  // namespace lockstep::process
