// posix_spawn whole: addchdir_np (2.29), addclosefrom_np (2.34) and POSIX_SPAWN_SETSID (2.26) are newer than glibc 2.17, whose own
// posix_spawn also tells nobody that the program could not be started. Only what the tool uses.
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif
#define SYS_CLOSE_RANGE 436  // the same number everywhere

enum Kind { kDup2, kOpen, kCloseFrom, kChangeFolder };

struct Action {
  struct Action* next;
  enum Kind kind;
  int from;
  int to;
  int flags;
  mode_t mode;
  char path[];
};

// In the place that the C library's own type gives to its actions.
static struct Action** list_of(posix_spawn_file_actions_t* actions) {
  return (struct Action**)&actions->__actions;
}

static int add(posix_spawn_file_actions_t* actions, const struct Action* action, const char* path) {
  struct Action* const made = malloc(sizeof *made + strlen(path) + 1);
  if (made == NULL) return ENOMEM;
  *made = *action;
  strcpy(made->path, path);
  struct Action** end = list_of(actions);
  while (*end != NULL) end = &(*end)->next;
  *end = made;
  return 0;
}

NEWER_CALL int posix_spawn_file_actions_init(posix_spawn_file_actions_t* actions) {
  memset(actions, 0, sizeof *actions);
  return 0;
}

NEWER_CALL int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t* actions) {
  for (struct Action* at = *list_of(actions); at != NULL;) {
    struct Action* const next = at->next;
    free(at);
    at = next;
  }
  return 0;
}

NEWER_CALL int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t* actions, int from, int to) {
  return add(actions, &(struct Action){.kind = kDup2, .from = from, .to = to}, "");
}

NEWER_CALL int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t* restrict actions, int to, const char* restrict path,
                                                int flags, mode_t mode) {
  return add(actions, &(struct Action){.kind = kOpen, .to = to, .flags = flags, .mode = mode}, path);
}

NEWER_CALL int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
  return add(actions, &(struct Action){.kind = kCloseFrom, .from = from}, "");
}

NEWER_CALL int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* restrict actions, const char* restrict path) {
  return add(actions, &(struct Action){.kind = kChangeFolder}, path);
}

NEWER_CALL int posix_spawnattr_init(posix_spawnattr_t* attributes) {
  memset(attributes, 0, sizeof *attributes);
  return 0;
}

NEWER_CALL int posix_spawnattr_destroy(posix_spawnattr_t* attributes) {
  (void)attributes;
  return 0;
}

NEWER_CALL int posix_spawnattr_setsigmask(posix_spawnattr_t* restrict attributes, const sigset_t* restrict mask) {
  attributes->__ss = *mask;
  return 0;
}

NEWER_CALL int posix_spawnattr_setsigdefault(posix_spawnattr_t* restrict attributes, const sigset_t* restrict signals) {
  attributes->__sd = *signals;
  return 0;
}

NEWER_CALL int posix_spawnattr_setpgroup(posix_spawnattr_t* attributes, pid_t group) {
  attributes->__pgrp = group;
  return 0;
}

NEWER_CALL int posix_spawnattr_setflags(posix_spawnattr_t* attributes, short flags) {
  attributes->__flags = flags;
  return 0;
}

static void close_from(int first) {
  if (syscall(SYS_CLOSE_RANGE, (unsigned)first, ~0u, 0) == 0) return;
  struct rlimit most = {.rlim_cur = 1024};
  getrlimit(RLIMIT_NOFILE, &most);
  const int end = most.rlim_cur > (1 << 20) ? 1 << 20 : (int)most.rlim_cur;
  for (int descriptor = first; descriptor < end; ++descriptor) close(descriptor);
}

static int carry_out(const struct Action* action) {
  switch (action->kind) {
    case kDup2:
      if (action->from == action->to) return fcntl(action->to, F_SETFD, 0);
      return dup2(action->from, action->to);
    case kOpen: {
      const int opened = open(action->path, action->flags, action->mode);
      if (opened < 0 || opened == action->to) return opened;
      const int result = dup2(opened, action->to);
      close(opened);
      return result;
    }
    case kCloseFrom: close_from(action->from); return 0;
    case kChangeFolder: return chdir(action->path);
  }
  return -1;
}

struct Request {
  const char* program;
  const posix_spawn_file_actions_t* actions;
  const posix_spawnattr_t* attributes;
  char* const* argv;
  char* const* environment;
  int is_searched;
  sigset_t mask;  // of the caller
};

// In the new process, on the memory of the old one: nothing is allocated and no lock is taken.
static int become(const struct Request* request) {
  const posix_spawnattr_t* const attributes = request->attributes;
  const short flags = attributes == NULL ? 0 : attributes->__flags;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0) continue;
    const int is_handled = now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL;
    const int is_asked = (flags & POSIX_SPAWN_SETSIGDEF) != 0 && sigismember(&attributes->__sd, number) == 1;
    if (!is_handled && !is_asked) continue;
    now.sa_handler = SIG_DFL;
    now.sa_flags = 0;
    sigaction(number, &now, NULL);
  }
  if ((flags & POSIX_SPAWN_SETSID) != 0 && setsid() < 0) return errno;
  if ((flags & POSIX_SPAWN_SETPGROUP) != 0 && setpgid(0, attributes->__pgrp) != 0) return errno;
  const struct Action* const first =
      request->actions == NULL ? NULL : *list_of((posix_spawn_file_actions_t*)request->actions);
  for (const struct Action* at = first; at != NULL; at = at->next)
    if (carry_out(at) < 0) return errno;
  sigprocmask(SIG_SETMASK, (flags & POSIX_SPAWN_SETSIGMASK) != 0 ? &attributes->__ss : &request->mask, NULL);
  if (request->is_searched) {
    execvpe(request->program, request->argv, request->environment);
  } else {
    execve(request->program, request->argv, request->environment);
  }
  return errno;
}

static int start(pid_t* pid, struct Request* request) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &request->mask);
  volatile int fault = 0;
  const pid_t child = vfork();
  if (child == 0) {
    fault = become(request);
    _exit(127);
  }
  if (child < 0) fault = errno;
  if (child > 0 && fault != 0) waitpid(child, NULL, 0);
  pthread_sigmask(SIG_SETMASK, &request->mask, NULL);
  if (fault == 0 && pid != NULL) *pid = child;
  return fault;
}

NEWER_CALL int posix_spawn(pid_t* restrict pid, const char* restrict path, const posix_spawn_file_actions_t* restrict actions,
                           const posix_spawnattr_t* restrict attributes, char* const argv[restrict], char* const environment[restrict]) {
  struct Request request = {path, actions, attributes, argv, environment, 0, {{0}}};
  return start(pid, &request);
}

NEWER_CALL int posix_spawnp(pid_t* pid, const char* program, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  struct Request request = {program, actions, attributes, argv, environment, 1, {{0}}};
  return start(pid, &request);
}
