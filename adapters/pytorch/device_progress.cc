#include "device_progress.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <c10/core/impl/VirtualGuardImpl.h>

#include "device_events.h"
#include "device_runtime.h"
#include "error_text.h"

namespace lockstep::pytorch {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(1);
constexpr std::size_t kMostQuestions = 1 << 16;

enum class Answer { kNotYet, kEnded, kNobodyKnows };

struct Question {
  DeviceCall call;
  c10::weak_intrusive_ptr<c10d::Work> work;
  std::optional<DeviceEvent> event;

  Answer ask() const {
    if (call.is_told->load()) return Answer::kEnded;
    if (event.has_value()) return event->has_come() ? Answer::kEnded : Answer::kNotYet;
    const auto alive = work.lock();
    if (!alive) return Answer::kNobodyKnows;
    if (!alive->isCompleted()) return Answer::kNotYet;
    if (const std::exception_ptr error = error_of(*alive)) std::rethrow_exception(error);
    return Answer::kEnded;
  }

  static std::exception_ptr error_of(const c10d::Work& work) {
    try {
      return work.exception();
    } catch (...) {  // some kinds of Work refuse the question
      return nullptr;
    }
  }
};

// Never destroyed: the asking thread outlives static destruction.
class Questions {
 public:
  void add(Question question) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopped_ || waiting_.size() == kMostQuestions) return;
    waiting_.push_back(std::move(question));
    if (!std::exchange(is_running_, true)) std::thread([this] { run(); }).detach();
    has_some_.notify_one();
  }

  void stop() {
    std::unique_lock<std::mutex> lock(mutex_);
    is_stopped_ = true;
    has_some_.notify_one();
    is_idle_.wait_for(lock, std::chrono::seconds(1), [this] { return !is_running_; });
  }

 private:
  void run() {
    allow_questions_during_capture();
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_stopped_) {
      has_some_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
      std::deque<Question> asked;
      asked.swap(waiting_);
      lock.unlock();
      ask_all(asked);
      if (!asked.empty()) std::this_thread::sleep_for(kInterval);
      lock.lock();
      waiting_.insert(waiting_.begin(), std::make_move_iterator(asked.begin()),
                      std::make_move_iterator(asked.end()));
    }
    ask_all(waiting_);
    is_running_ = false;
    is_idle_.notify_all();
  }

  void ask_all(std::deque<Question>& asked) {
    std::deque<Question> open;
    for (Question& question : asked) {
      switch (answer_of(question)) {
        case Answer::kNotYet:
          open.push_back(std::move(question));
          break;
        case Answer::kEnded:
          question.call.tell(LOCKSTEP_DONE_COMPLETED, nullptr);
          tell_lost_before(question.call.ticket);
          break;
        case Answer::kNobodyKnows:
          lost_.push_back(question.call);
          break;
      }
    }
    asked.swap(open);
  }

  static Answer answer_of(const Question& question) {
    try {
      return question.ask();
    } catch (const std::exception& error) {  // the device's or the communicator's error, which others report
      question.call.tell(LOCKSTEP_DONE_FAILED, error.what());
      return Answer::kNobodyKnows;
    }
  }

  // Collectives of one communicator run one after the other: what came before an ended one has ended.
  void tell_lost_before(const lockstep_ticket& ended) {
    std::vector<DeviceCall> still_lost;
    for (const DeviceCall& call : lost_) {
      const bool is_before = call.ticket.communicator == ended.communicator &&
                             call.ticket.peer == ended.peer && call.ticket.sequence < ended.sequence;
      if (is_before) {
        call.tell(LOCKSTEP_DONE_COMPLETED, nullptr);
      } else if (!call.is_told->load()) {
        still_lost.push_back(call);
      }
    }
    lost_.swap(still_lost);
  }

  std::mutex mutex_;
  std::condition_variable has_some_;
  std::condition_variable is_idle_;
  std::deque<Question> waiting_;
  bool is_running_ = false;
  bool is_stopped_ = false;
  std::vector<DeviceCall> lost_;  // the asking thread's
};

Questions& questions() {
  static Questions* const all = new Questions;
  return *all;
}

}  // namespace

void DeviceCall::tell(std::uint8_t status, const char* error) const {
  if (is_told->exchange(true)) return;
  lockstep_mark_call(&ticket, status, error == nullptr ? 0 : intern_error(error), 0);
}

void ask_work(const DeviceCall& call, const c10::intrusive_ptr<c10d::Work>& work) {
  if (!can_ask_device(call.device)) return;
  questions().add({call, c10::weak_intrusive_ptr<c10d::Work>(work), std::nullopt});
}

void ask_event(const DeviceCall& call) {
  if (!can_ask_device(call.device) || current_stream(call.device).is_capturing) return;
  DeviceEvent event(c10::impl::VirtualGuardImpl(call.device.type()).getStream(call.device));
  questions().add(
      {call, c10::weak_intrusive_ptr<c10d::Work>(c10::intrusive_ptr<c10d::Work>()), std::move(event)});
}

void stop_asking() {
  questions().stop();
}

}  // namespace lockstep::pytorch
