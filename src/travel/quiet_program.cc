#include "travel/quiet_program.h"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/pointers.h"

namespace lockstep::travel {

int run_quietly(const std::vector<std::string>& argv) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  pid_t pid = 0;
  const int fault = ::posix_spawn(&pid, argv.front().c_str(), &actions, nullptr,
                                  process::pointers_to(argv).data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return 127;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace lockstep::travel
