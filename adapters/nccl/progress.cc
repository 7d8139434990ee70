#include "progress.h"

#include <atomic>

#include "asking_thread.h"
#include "events.h"
#include "questions.h"
#include "try_lock.h"

namespace lockstep::adapters::nccl {
namespace {

Question open[kMostQuestions];  // the asking thread's, and of whoever holds the lock
std::size_t open_count;
TryLock open_lock;
bool is_device_gone;
Context asking_context;  // current in the asking thread

// The stream of a call that has not ended: what came behind it has not either.
class Blocked {
 public:
  bool has(Stream stream) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (streams_[i] == stream) return true;
    }
    return false;
  }
  void add(Stream stream) {
    if (count_ < kMost) streams_[count_++] = stream;
  }

 private:
  static constexpr std::size_t kMost = 32;
  Stream streams_[kMost];
  std::size_t count_ = 0;
};

bool has_ended(const Driver& driver, const Question& question, Blocked& blocked) {
  if (blocked.has(question.stream)) return false;
  if (question.recorded.context != asking_context) {
    driver.set_context(question.recorded.context);
    asking_context = question.recorded.context;
  }
  const int answer = driver.query_event(question.recorded.event);
  if (answer == 0) return true;
  if (answer != kNotReady) is_device_gone = true;  // an error of the device: its calls never end
  blocked.add(question.stream);
  return false;
}

void take_new_ones() {
  while (open_count < kMostQuestions && take_question(open[open_count])) ++open_count;
}

void keep_open(bool (*is_over)(const Question&, void*), void* argument) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < open_count; ++i) {
    if (!is_over(open[i], argument)) open[kept++] = open[i];
  }
  open_count = kept;
}

struct Round {
  const Driver& driver;
  Blocked blocked;
  Event last_event = nullptr;
  bool last_answer = false;
};

// Calls of one group share an event, which the last of them gives back.
bool end_if_over(const Question& question, void* argument) {
  auto* round = static_cast<Round*>(argument);
  if (question.recorded.event != round->last_event) {
    round->last_answer = has_ended(round->driver, question, round->blocked);
    round->last_event = question.recorded.event;
  }
  if (!round->last_answer) return false;
  lockstep_mark_call(&question.ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  if (question.owns_event) {
    give_back(round->driver, question.recorded);
    round->last_event = nullptr;
  }
  return true;
}

bool fail_if_of(const Question& question, void* argument) {
  if (question.ticket.communicator != *static_cast<const std::uint32_t*>(argument)) return false;
  lockstep_mark_call(&question.ticket, LOCKSTEP_DONE_FAILED, 0, 0);
  return true;  // its event is not used again: the device may still come to it
}

// False: nothing is left to ask.
bool ask_all() {
  open_lock.lock();
  take_new_ones();
  if (const Driver* device = driver(); device != nullptr && !is_device_gone) {
    Round round{*device, {}};
    keep_open(end_if_over, &round);
  }
  const bool has_more = open_count > 0 && !is_device_gone;
  open_lock.unlock();
  return has_more;
}

}  // namespace

bool can_follow() {
  return driver() != nullptr;
}

bool is_capturing(Stream stream) {
  const Driver* device = driver();
  int status = 0;
  return device != nullptr && device->is_capturing(stream, &status) == 0 && status != 0;
}

void follow(const lockstep_ticket* tickets, std::size_t count, Stream stream) {
  const Driver* device = driver();
  if (device == nullptr) return;  // it was told as one that nobody waits for
  RecordedEvent recorded;
  if (start_asking(ask_all)) recorded = record_event(*device, stream);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_followed =
        recorded.event != nullptr && add_question({tickets[i], recorded, stream, i + 1 == count});
    if (!is_followed) lockstep_mark_call(&tickets[i], LOCKSTEP_DONE_COMPLETED, 0, 0);
  }
  if (recorded.event != nullptr) wake_asking();
}

void give_up(std::uint32_t communicator) {
  constexpr int kPatienceMs = 500;
  if (!open_lock.lock_within(kPatienceMs)) return;
  take_new_ones();
  keep_open(fail_if_of, &communicator);
  open_lock.unlock();
}

}  // namespace lockstep::adapters::nccl
