/* A process that uses the recorder the way an adapter does, and then does what processes do: forks, executes,
 * is interrupted, exits. Plain C, so that recorder.h stays C. policies_test.cc runs it.
 *
 *   rank_program MODE     exits with 0 when it saw what it expected, or with the status the mode asks for */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/recorder.h"

enum { kCalls = 1000 };

static uint32_t communicator;

static int define_world(int32_t rank) {
  static const int32_t members[] = {0, 1, 2, 3};
  struct lockstep_communicator_facts facts = {0};
  facts.size = sizeof facts;
  facts.members = members;
  facts.member_count = 4;
  facts.rank_in_it = rank;
  facts.name = "world";
  facts.backend = "mpi";
  communicator = lockstep_define_communicator(&facts);
  return communicator == 0 ? ENOSPC : 0;
}

static int start(int32_t rank) {
  struct lockstep_rank_facts rank_facts = {0};
  int error;
  rank_facts.size = sizeof rank_facts;
  rank_facts.rank = rank;
  rank_facts.local_rank = -1;
  rank_facts.world_size = 4;
  rank_facts.restart = -1;
  rank_facts.framework = "mpi";
  rank_facts.version = "test";
  error = lockstep_start_rank(&rank_facts);
  return error != 0 ? error : define_world(rank);
}

static void call_once(void) {
  struct lockstep_call_facts facts = {0};
  struct lockstep_ticket ticket;
  facts.size = sizeof facts;
  facts.communicator = communicator;
  facts.operation = LOCKSTEP_OPERATION_AllReduce;
  facts.reduce_op = LOCKSTEP_REDUCE_OP_Sum;
  facts.data_type = LOCKSTEP_DATA_TYPE_Float32;
  facts.peer = -1;
  facts.payload_bytes = 4096;
  lockstep_begin_call(&facts, &ticket);
  lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
}

static void call(int count) {
  for (int i = 0; i < count; ++i) call_once();
}

static int wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 90;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 91;
}

/* A data loader: forked from a rank, uses the same libraries, is not a rank. */
static int child_of_rank(void) {
  if (lockstep_is_recording() != 0) return 1;
  call(kCalls);
  if (lockstep_intern_string("child", 5) != 0) return 2;
  return 0;
}

static int fork_a_data_loader(void) {
  pid_t child;
  call(kCalls);
  child = fork();
  if (child == 0) exit(child_of_rank());
  call(kCalls);
  return wait_for(child);
}

/* Without the C library knowing: no handler of pthread_atfork runs. */
static int fork_behind_the_back(void) {
  pid_t child;
  call(kCalls);
  child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) syscall(SYS_exit_group, child_of_rank());
  call(kCalls);
  return wait_for(child);
}

static int fork_another_rank(void) {
  pid_t child = fork();
  if (child == 0) {
    if (start(2) != 0) _exit(1);
    call(kCalls / 2);
    exit(7);
  }
  call(kCalls);
  return wait_for(child) == 7 ? 0 : 1;
}

static void* call_until_told(void* stop) {
  while (!__atomic_load_n((const int*)stop, __ATOMIC_ACQUIRE)) call(10);
  return NULL;
}

/* Elastic training: rank 1 becomes rank 0 of the next life while another thread calls, then goes on. */
static int start_again(void) {
  struct lockstep_rank_facts facts = {0};
  const int before = lockstep_is_recording();
  int stop = 0;
  pthread_t thread;
  call(kCalls);
  if (pthread_create(&thread, NULL, call_until_told, &stop) != 0) return 1;
  facts.size = sizeof facts;
  facts.rank = 0;
  facts.local_rank = 0;
  facts.world_size = 3;
  facts.restart = 4;
  errno = 1234;
  if (lockstep_restart_rank(&facts) != 0 || errno != 1234) return 2;
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  if (lockstep_is_recording() == before || lockstep_is_recording() == 0) return 3;
  if (define_world(0) != 0) return 4;
  call(kCalls);
  exit(3);
}

static volatile sig_atomic_t interruptions;

static void call_from_handler(int signal_number) {
  (void)signal_number;
  ++interruptions;
  call_once();
}

/* errno belongs to the program, also when a handler came in between. */
static int be_interrupted(void) {
  struct sigaction action = {0};
  struct itimerval timer = {{0, 200}, {0, 200}};
  action.sa_handler = call_from_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
  errno = 1234;
  while (interruptions < 300) call(100);
  memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, NULL);
  return errno == 1234 ? 0 : 1;
}

static void* call_in_thread(void* count) {
  call(*(const int*)count);
  return NULL;
}

/* More threads than there are lanes, one after the other, and some at once. */
static int use_many_threads(void) {
  static const int few = 5;
  static const int many = 20000;
  pthread_t threads[4];
  for (int i = 0; i < 1500; ++i) {
    if (pthread_create(&threads[0], NULL, call_in_thread, (void*)&few) != 0) return 1;
    pthread_join(threads[0], NULL);
  }
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, call_in_thread, (void*)&many);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}

static void* call_until_exit(void* unused) {
  for (;;) call_once();
  return unused;
}

static int exit_while_threads_call(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, call_until_exit, NULL);
  call(kCalls);
  return 3;
}

#ifdef COUNT_ALLOCATIONS
static volatile long allocations;
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}

static void* count_in_thread(void* unused) {
  const long before = allocations;
  (void)unused;
  call(100000);
  return (void*)(allocations - before);
}

static int count_allocations(void) {
  pthread_t thread;
  void* in_thread = NULL;
  const long before = allocations;
  call(100000);
  for (int i = 0; i < 1000; ++i) {
    char name[32];
    lockstep_intern_string(name, (size_t)snprintf(name, sizeof name, "name %d", i));
  }
  if (allocations != before) return 1;
  pthread_create(&thread, NULL, count_in_thread, NULL);
  pthread_join(thread, &in_thread);
  return in_thread == NULL ? 0 : 2;
}
#endif

#ifdef OLD_KERNEL
/* A kernel, or a sandbox, that knows no advice. The library asks for it through this. */
int madvise(void* address, size_t length, int advice) {
  (void)address;
  (void)length;
  (void)advice;
  errno = EINVAL;
  return -1;
}
#endif

/* An adapter that was built before the structures grew: its size ends where its knowledge ends. */
static int be_an_old_adapter(void) {
  struct lockstep_call_facts facts;
  struct lockstep_ticket ticket;
  memset(&facts, 0xff, sizeof facts);
  facts.size = offsetof(struct lockstep_call_facts, payload_bytes);
  facts.communicator = communicator;
  facts.sequence = 0;
  facts.time_ns = 0;
  facts.operation = LOCKSTEP_OPERATION_Barrier;
  facts.reduce_op = 0;
  facts.data_type = 0;
  facts.flags = 0;
  facts.peer = -1;
  facts.name = 0;
  facts.tensors = 0;
  facts.stack = 0;
  lockstep_begin_call(&facts, &ticket);
  return ticket.sequence == 1 ? 0 : 1;
}

/* Somebody cuts the record file short, again and again, while calls go on and threads come and go. */
static int lose_the_file(const char* path) {
  static const int many = 20000;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, call_in_thread, (void*)&many);
  for (int i = 0; i < 20; ++i) {
    if (truncate(path, i % 2 == 0 ? 0 : 100000) != 0) return 70;
    call(kCalls);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  call(20 * kCalls);
  return lockstep_is_recording() == 0 ? 3 : 71;
}

static sigjmp_buf after_fault;
static volatile sig_atomic_t faults;

static void note_fault(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  ++faults;
  if (info->si_code > 0) siglongjmp(after_fault, 1);
}

/* A page of a file that the file does not have. */
static volatile char* hole(void) {
  char name[] = "/tmp/lockstep-hole-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static void handle_faults(void) {
  struct sigaction action = {0};
  action.sa_sigaction = note_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, NULL);
}

/* Its handler was there before the recorder's, and gets its faults, and what others send it. */
static int handle_own_faults(void) {
  volatile char* page = hole();
  if (sigsetjmp(after_fault, 1) == 0) *page = 1;
  if (faults != 1) return 72;
  if (sigsetjmp(after_fault, 1) == 0) *page = 1;
  raise(SIGBUS);
  return faults == 3 ? 3 : 73;
}

/* Where the record file is mapped. */
static void* place_of_record(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  unsigned long begin = 0;
  while (begin == 0 && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, ".lockstep") != NULL) begin = strtoul(line, NULL, 16);
  }
  fclose(maps);
  return (void*)begin;
}

/* A child has nothing where its parent has the record, and may map there what it likes: its faults are its own. */
static int fault_in_a_child(void) {
  void* const place = place_of_record();
  int status;
  const pid_t child = fork();
  if (place == NULL || child < 0) return 75;
  if (child == 0) {
    volatile char* const page = hole();
    volatile char* const moved = mremap((void*)page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (moved != place) _exit(76);
    *moved = 1;
    _exit(77);
  }
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS ? 3 : 78;
}

static int run(const char* mode, char** arguments) {
  int error;
  if (strcmp(mode, "launcher") == 0) {
    call(kCalls);
    return lockstep_is_recording() != 0;
  }
  if (strcmp(mode, "own_faults") == 0 || strcmp(mode, "sent_bus_error") == 0) handle_faults();
  error = start(strcmp(mode, "rank_of_environment") == 0 ? -1 : 1);
  if (strcmp(mode, "start_fails") == 0) {
    call(kCalls);
    printf("%d\n", error);
    return 0;
  }
  if (error != 0) return 80;
  if (strcmp(mode, "fork") == 0) return fork_a_data_loader();
  if (strcmp(mode, "clone") == 0) return fork_behind_the_back();
  if (strcmp(mode, "fork_rank") == 0) return fork_another_rank();
  if (strcmp(mode, "start_again") == 0) return start_again();
  if (strcmp(mode, "signals") == 0) return be_interrupted();
  if (strcmp(mode, "threads") == 0) return use_many_threads();
  if (strcmp(mode, "old_adapter") == 0) return be_an_old_adapter();
#ifdef COUNT_ALLOCATIONS
  if (strcmp(mode, "allocations") == 0) return count_allocations();
#endif
  call(kCalls);
  if (strcmp(mode, "lose_the_file") == 0) return lose_the_file(arguments[2]);
  if (strcmp(mode, "own_faults") == 0) return handle_own_faults();
  if (strcmp(mode, "fault_in_a_child") == 0) return fault_in_a_child();
  if (strcmp(mode, "sent_bus_error") == 0) {
    raise(SIGBUS);
    return faults == 1 ? 3 : 74;
  }
  if (strcmp(mode, "bus_error") == 0) *hole() = 1;
  if (strcmp(mode, "killed_by_bus") == 0) kill(getpid(), SIGBUS);
  if (strcmp(mode, "exit") == 0) return 3;
  if (strcmp(mode, "exit_with_threads") == 0) return exit_while_threads_call();
  if (strcmp(mode, "_exit") == 0) _exit(3);
  if (strcmp(mode, "abort") == 0) abort();
  if (strcmp(mode, "pause") == 0) {
    printf("ready\n");
    fflush(stdout);
    for (;;) pause();
  }
  if (strcmp(mode, "exec") == 0) {
    arguments[1] = (char*)"exit";
    execv("/proc/self/exe", arguments);
  }
  return 0;
}

int main(int argc, char** argv) {
  return argc < 2 ? 99 : run(argv[1], argv);
}
