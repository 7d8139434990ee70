#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "service/serve.h"

namespace {

// Started with `>&-`, the next file opened would become standard output and receive it. The stand-in fails
// on use, as a closed descriptor does.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool is_closed = ::fcntl(fd, F_GETFD) == -1 && errno == EBADF;
    if (is_closed) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // inherited over exec: whoever starts a job resets it to SIG_DFL
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  // A process that the service starts for itself; no verb of the user's.
  if (words.size() == 3 && words[0] == "service-part") return lockstep::service::run_part(words[1], words[2]);
  lockstep::cli::Terminal terminal(STDOUT_FILENO, STDERR_FILENO, lockstep::cli::environment_welcomes_color());
  return lockstep::cli::run_program(words, lockstep::cli::all_verbs(), terminal);
}
