// A folder of the test's own, with files that stand for /proc and /sys.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/process/proc_files.h"

namespace lockstep::process {

class FolderForTests {
 public:
  FolderForTests() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  FolderForTests(const FolderForTests&) = delete;
  FolderForTests& operator=(const FolderForTests&) = delete;
  ~FolderForTests() { std::filesystem::remove_all(path_); }

  void write(const std::filesystem::path& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  const std::filesystem::path& path() const { return path_; }
  Roots roots() const { return {.proc = path_ / "proc", .sys = path_ / "sys"}; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::process
