#include "base/process/foreground.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/environment.h"
#include "base/process/spawn.h"

namespace lockstep::process {
namespace {

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
             const std::vector<std::string>& environment, const ForegroundOptions& options, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  if (!options.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (options.is_silent) ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
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

std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Result<int> run_in_foreground(const std::vector<std::string>& argv,
                              const std::vector<std::string>& environment, const ForegroundOptions& options) {
  const SignalsIgnored ignored;
  pid_t pid = 0;
  if (const int error = spawn_in(program_for(argv.front(), environment), argv, environment, options, pid)) {
    return Error{"cannot run the command", argv.front(), std::strerror(error), ""};
  }
  int status = 0;
  for (;;) {
    const pid_t changed = ::waitpid(pid, &status, options.on_stop ? WUNTRACED : 0);
    if (changed < 0 && errno == EINTR) continue;
    if (changed < 0 || !WIFSTOPPED(status)) break;
    options.on_stop(pid);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string typed_in_a_shell(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace lockstep::process
