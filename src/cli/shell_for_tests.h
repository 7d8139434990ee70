// Runs a shell line for tests of what other programs make of our scripts and pages.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace lockstep::cli {

// A file in the temporary folder that goes away with this object.
class FileForTests {
 public:
  explicit FileForTests(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("lockstep_cli_test_" + std::to_string(::getpid()))) {
    std::ofstream(path_) << content;
  }
  FileForTests(const FileForTests&) = delete;
  FileForTests& operator=(const FileForTests&) = delete;
  ~FileForTests() { std::filesystem::remove(path_); }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string output_of(const std::string& shell_line) {
  std::string output;
  std::FILE* pipe = ::popen((shell_line + " 2>&1").c_str(), "r");
  std::array<char, 4096> chunk;
  for (std::size_t count; (count = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    output.append(chunk.data(), count);
  }
  ::pclose(pipe);
  return output;
}

inline bool is_installed(const std::string& program) {
  return !output_of("command -v " + program).empty();
}

}  // namespace lockstep::cli
