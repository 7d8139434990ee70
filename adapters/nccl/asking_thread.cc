#include "asking_thread.h"

#include <atomic>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "lockstep/recorder.h"

#include "driver.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr long kIntervalNs = 1'000'000;
constexpr int kLastRounds = 200;  // how long an exit waits for the last answers, in intervals

std::atomic<int> running_in;  // the recording it was begun in; a forked child has another
std::atomic<bool> is_asleep;
std::atomic<bool> is_exiting;
std::atomic<bool> has_ended;
sem_t wake;
bool (*ask_all)();

void pause() {
  const timespec interval{0, kIntervalNs};
  ::nanosleep(&interval, nullptr);
}

void* run(void*) {
  int relaxed = 2;
  if (const Driver* device = driver()) device->exchange_capture_mode(&relaxed);
  while (!is_exiting.load()) {
    if (ask_all()) {
      pause();
      continue;
    }
    is_asleep.store(true);
    if (!ask_all() && !is_exiting.load()) ::sem_wait(&wake);
    is_asleep.store(false);
  }
  ask_all();
  has_ended.store(true);
  return nullptr;
}

// Registered after CUDA's own handlers, so it runs before them.
void at_exit(int, void*) {
  if (running_in.load() != lockstep_is_recording()) return;
  is_exiting.store(true);
  ::sem_post(&wake);
  for (int i = 0; i < kLastRounds && !has_ended.load(); ++i) pause();
}

bool start() {
  if (::sem_init(&wake, 0, 0) != 0) return false;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_started = ::pthread_create(&thread, nullptr, run, nullptr) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!is_started) return false;
  ::pthread_detach(thread);
  ::on_exit(at_exit, nullptr);
  return true;
}

}  // namespace

bool start_asking(bool (*ask)()) {
  const int self = lockstep_is_recording();
  if (self == 0) return false;
  int known = running_in.load(std::memory_order_acquire);
  if (known == self) return true;
  if (!running_in.compare_exchange_strong(known, self)) return known == self;
  ask_all = ask;
  if (start()) return true;
  running_in.store(0);
  return false;
}

void wake_asking() {
  if (is_asleep.exchange(false)) ::sem_post(&wake);
}

}  // namespace lockstep::adapters::nccl
