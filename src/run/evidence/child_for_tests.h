// A process that does one thing until the test is over.
#pragma once

#include <csignal>
#include <cstdlib>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::evidence {

class ChildForTests {
 public:
  template <typename Do>
  explicit ChildForTests(Do do_it) : pid_(::fork()) {
    if (pid_ != 0) return;
    do_it();
    for (;;) ::pause();
  }
  ChildForTests(const ChildForTests&) = delete;
  ChildForTests& operator=(const ChildForTests&) = delete;
  ~ChildForTests() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

}  // namespace lockstep::evidence
