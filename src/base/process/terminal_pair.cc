#include "base/process/terminal_pair.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace lockstep::process {

Result<TerminalPair> make_terminal_pair() {
  const auto fault = [] { return Error{"cannot make a pseudo-terminal", "", std::strerror(errno), ""}; };
  TerminalPair pair{Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Descriptor()};
  if (!pair.ours.is_open() || ::grantpt(pair.ours.get()) != 0 || ::unlockpt(pair.ours.get()) != 0)
    return fault();
  char name[128];
  if (::ptsname_r(pair.ours.get(), name, sizeof name) != 0) return fault();
  pair.the_jobs = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.the_jobs.is_open()) return fault();
  termios settings{};
  if (::tcgetattr(pair.the_jobs.get(), &settings) == 0) {
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    ::tcsetattr(pair.the_jobs.get(), TCSANOW, &settings);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(pair.the_jobs.get(), TIOCSWINSZ, &size);
  ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

bool prints_on_a_terminal() {
  return ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace lockstep::process
