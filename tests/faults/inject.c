/* Preloaded: the Nth call of one kind fails, in lockstep itself and in no other program.
 *
 *   FAULT_CALL   open, read, write, mmap or fork: its whole family (openat, pread, posix_spawn ...); or memory: malloc and
 *                its family, the Nth and all that follow, in the process that has started a program first, from then on
 *   FAULT_AT     the number of the call that fails, from 1, counted over all processes of lockstep; 0: none
 *   FAULT_ERRNO  with which number
 *   FAULT_STATE  a file of eight bytes that holds the count
 *
 * Calls inside the C library itself, as malloc's own mmap, do not come by here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static _Atomic unsigned long* count;  /* and behind it the process that is short of memory */
static unsigned long fails_at;
static int fails_with;
static char wanted[16];

__attribute__((constructor)) static void begin(void) {
  const char* const call = getenv("FAULT_CALL");
  const char* const state = getenv("FAULT_STATE");
  const char* const at = getenv("FAULT_AT");
  const char* const with = getenv("FAULT_ERRNO");
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (call == NULL || state == NULL || at == NULL || with == NULL || length <= 0) return;
  program[length] = '\0';
  if (strcmp(strrchr(program, '/') + 1, "lockstep") != 0) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, state, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* const place = (void*)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (place == MAP_FAILED) return;
  fails_at = strtoul(at, NULL, 10);
  fails_with = atoi(with);
  strncpy(wanted, call, sizeof wanted - 1);
  count = place;
}

static int fails(const char* call) {
  if (count == NULL || strcmp(call, wanted) != 0) return 0;
  if (atomic_fetch_add(count, 1) + 1 != fails_at) return 0;
  errno = fails_with;
  return 1;
}

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static int has_no_memory(void) {
  if (count == NULL || wanted[0] != 'm' || wanted[1] != 'e' || count[1] != (unsigned long)getpid()) return 0;
  return atomic_fetch_add(count, 1) + 1 >= fails_at && fails_at != 0;
}

void* malloc(size_t size) {
  return has_no_memory() ? NULL : __libc_malloc(size);
}
void* calloc(size_t many, size_t size) {
  return has_no_memory() ? NULL : __libc_calloc(many, size);
}
void* realloc(void* old, size_t size) {
  return has_no_memory() ? NULL : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return has_no_memory() ? NULL : __libc_memalign(alignment, size);
}

static int started(int status) {
  unsigned long nobody = 0;
  if (count != NULL && status == 0) atomic_compare_exchange_strong(&count[1], &nobody, (unsigned long)getpid());
  return status;
}

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                       \
  int name(const char* path, int flags, ...) {           \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    const mode_t mode = mode_of(flags, rest);            \
    va_end(rest);                                        \
    return fails("open") ? -1 : NEXT(name)(path, flags, mode); \
  }
#define OPENAT(name)                                             \
  int name(int folder, const char* path, int flags, ...) {       \
    va_list rest;                                                \
    va_start(rest, flags);                                       \
    const mode_t mode = mode_of(flags, rest);                    \
    va_end(rest);                                                \
    return fails("open") ? -1 : NEXT(name)(folder, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t read(int fd, void* into, size_t size) {
  return fails("read") ? -1 : NEXT(read)(fd, into, size);
}
ssize_t pread(int fd, void* into, size_t size, off_t at) {
  return fails("read") ? -1 : NEXT(pread)(fd, into, size, at);
}
ssize_t pread64(int fd, void* into, size_t size, off64_t at) {
  return fails("read") ? -1 : NEXT(pread64)(fd, into, size, at);
}
ssize_t write(int fd, const void* from, size_t size) {
  return fails("write") ? -1 : NEXT(write)(fd, from, size);
}
ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  return fails("write") ? -1 : NEXT(pwrite)(fd, from, size, at);
}
ssize_t pwrite64(int fd, const void* from, size_t size, off64_t at) {
  return fails("write") ? -1 : NEXT(pwrite64)(fd, from, size, at);
}
int fsync(int fd) {
  return fails("write") ? -1 : NEXT(fsync)(fd);
}
void* mmap(void* place, size_t size, int protection, int flags, int fd, off_t at) {
  return fails("mmap") ? MAP_FAILED : NEXT(mmap)(place, size, protection, flags, fd, at);
}
void* mmap64(void* place, size_t size, int protection, int flags, int fd, off64_t at) {
  return fails("mmap") ? MAP_FAILED : NEXT(mmap64)(place, size, protection, flags, fd, at);
}
pid_t fork(void) {
  return fails("fork") ? -1 : NEXT(fork)();
}
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return fails("fork") ? fails_with
                       : started(NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment));
}
int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return fails("fork") ? fails_with
                       : started(NEXT(posix_spawnp)(pid, file, actions, attributes, arguments, environment));
}
