// sigabbrev_np (2.32).
#include "calls.h"

#include <signal.h>
#include <stddef.h>

NEWER_CALL const char* sigabbrev_np(int number) {
  static const char* const kNames[] = {
      [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT",     [SIGILL] = "ILL",       [SIGTRAP] = "TRAP",
      [SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",       [SIGKILL] = "KILL",     [SIGUSR1] = "USR1",
      [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM",     [SIGTERM] = "TERM",
      [16] = "STKFLT",    [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP",     [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG",       [SIGXCPU] = "XCPU",     [SIGXFSZ] = "XFSZ",
      [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "POLL",     [SIGPWR] = "PWR",
      [SIGSYS] = "SYS"};
  const int count = sizeof kNames / sizeof kNames[0];
  return number > 0 && number < count ? kNames[number] : NULL;
}
