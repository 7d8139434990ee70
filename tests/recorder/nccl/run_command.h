// Runs a program of these tests.
#pragma once

#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace lockstep::tests {

// The status of exit; 128 + signal when it was killed by one.
inline int status_of(const std::string& command) {
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): the words are the test's own
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace lockstep::tests
