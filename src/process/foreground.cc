#include "process/foreground.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "process/search_path.h"

namespace lockstep::process {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawnp would look in this program's PATH.
std::string find_program(const std::string& name, const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& entry : environment) {
    if (!entry.starts_with("PATH=")) continue;
    const std::string found = program_in(std::string_view(entry).substr(5), name);
    if (!found.empty()) return found;
  }
  return name;
}

class SignalsIgnored {
 public:
  SignalsIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt_);
    ::sigaction(SIGQUIT, &ignore, &quit_);
  }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;
  ~SignalsIgnored() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

int spawn_in(const std::string& program, const std::vector<std::string>& argv,
             const std::vector<std::string>& environment, const std::filesystem::path& folder, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  sigset_t as_usual;
  ::sigemptyset(&as_usual);
  ::posix_spawnattr_setsigmask(&attributes, &as_usual);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) ::sigaddset(&as_usual, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers_to(argv).data(),
                                  pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<int> run_in_foreground(const std::vector<std::string>& argv,
                              const std::vector<std::string>& environment,
                              const std::filesystem::path& folder) {
  const SignalsIgnored ignored;
  pid_t pid = 0;
  if (const int error = spawn_in(find_program(argv.front(), environment), argv, environment, folder, pid)) {
    return Error{"cannot run the command", argv.front(), std::strerror(error), ""};
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace lockstep::process
