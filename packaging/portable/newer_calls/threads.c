// pthread_cond_clockwait (2.30), __libc_single_threaded (2.32), __cxa_thread_atexit_impl (2.18).
#include "calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// "Maybe several": reference counts are atomic, always.
NEWER_CALL char __libc_single_threaded = 0;

static const long kSecond = 1000000000;

static struct timespec later(struct timespec time, long seconds, long nanoseconds) {
  time.tv_sec += seconds;
  time.tv_nsec += nanoseconds;
  if (time.tv_nsec >= kSecond) {
    time.tv_sec += 1;
    time.tv_nsec -= kSecond;
  } else if (time.tv_nsec < 0) {
    time.tv_sec -= 1;
    time.tv_nsec += kSecond;
  }
  return time;
}

// The old call waits by the clock of the wall. When that one jumps the wait ends at another time; whoever waits looks at the clock
// again, as for any wake-up without a reason.
NEWER_CALL int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now;
  struct timespec wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  const struct timespec end = later(wall, until->tv_sec - now.tv_sec, until->tv_nsec - now.tv_nsec);
  return pthread_cond_timedwait(condition, mutex, &end);
}

struct Destructor {
  void (*call)(void*);
  void* object;
  struct Destructor* next;
};

static pthread_key_t key;
static pthread_once_t key_is_made = PTHREAD_ONCE_INIT;

static void call_all(void* first) {
  for (struct Destructor* at = first; at != NULL;) {
    struct Destructor* const next = at->next;
    at->call(at->object);
    free(at);
    at = next;
  }
}

// The first thread does not end, the program does.
static void at_exit(void) {
  void* const first = pthread_getspecific(key);
  pthread_setspecific(key, NULL);
  call_all(first);
}

static void make_key(void) {
  if (pthread_key_create(&key, call_all) != 0) abort();
  atexit(at_exit);
}

NEWER_CALL int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* library) {
  typedef int (*Real)(void (*)(void*), void*, void*);
  const Real real = (Real)dlsym(RTLD_DEFAULT, "__cxa_thread_atexit_impl");
  if (real != NULL) return real(call, object, library);
  pthread_once(&key_is_made, make_key);
  struct Destructor* const first = malloc(sizeof *first);
  if (first == NULL) return -1;
  *first = (struct Destructor){call, object, pthread_getspecific(key)};
  return pthread_setspecific(key, first);
}
