// A program of the host asked for its text, in bounded time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace lockstep::hostinfo {

struct Answer {
  std::string text;
  std::string why_not;  // empty when it answered

  bool ok() const { return why_not.empty(); }
};

// Looked for in PATH and in the folders of system programs, which a user's PATH often leaves out.
Answer ask(std::vector<std::string> argv, std::chrono::milliseconds time = std::chrono::seconds(10));

bool is_installed(const std::string& program);

}  // namespace lockstep::hostinfo
