// The wrapper around a Work on the CPU that has no future, or whose outputs are to be summed.
#include <memory>
#include <mutex>

#include "forwarded_work.h"
#include "work_progress.h"

namespace lockstep::pytorch {
namespace {

using c10::ivalue::Future;

// Told once, by whoever comes first.
class ToldOnce {
 public:
  explicit ToldOnce(Progress progress) : progress_(std::move(progress)) {}

  void wait() const { progress_.wait(); }
  // `work` has ended.
  void complete(const c10d::Work& work) {
    if (is_first()) progress_.complete(source_of(work));
  }
  void fail(const char* what) {
    if (is_first()) progress_.fail(what);
  }

 private:
  std::int32_t source_of(const c10d::Work& work) const {
    const bool is_from_anybody = progress_.keeps &&
                                 progress_.ticket.operation == LOCKSTEP_OPERATION_Receive &&
                                 progress_.ticket.peer < 0;
    return is_from_anybody ? work.sourceRank() : -1;
  }
  bool is_first() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !std::exchange(is_told_, true);
  }

  std::mutex mutex_;
  bool is_told_ = false;
  Progress progress_;
};

class WatchedWork final : public ForwardedWork {
 public:
  WatchedWork(c10::intrusive_ptr<c10d::Work> inner, Progress progress)
      : ForwardedWork(std::move(inner)), told_(std::make_shared<ToldOnce>(std::move(progress))) {}

  bool isCompleted() override {
    const bool is_completed = inner().isCompleted();
    if (is_completed && inner().isSuccess()) told_->complete(inner());
    return is_completed;
  }

  bool wait(std::chrono::milliseconds timeout) override {
    told_->wait();
    try {
      const bool is_done = inner().wait(timeout);
      if (is_done) told_->complete(inner());
      return is_done;
    } catch (const std::exception& error) {
      told_->fail(error.what());
      throw;
    }
  }

  // Who waits for the future must not run before the outputs are summed; an error must reach it.
  c10::intrusive_ptr<Future> getFuture() override {
    const auto future = inner().getFuture();
    return future->then(
        [told = told_, work = held()](Future& ended) -> c10::IValue {
          if (ended.hasError()) {
            told->fail(ended.tryRetrieveErrorMessage().c_str());
          } else {
            told->complete(*work);
          }
          return ended.value();
        },
        future->elementType());
  }

 private:
  std::shared_ptr<ToldOnce> told_;
};

}  // namespace

c10::intrusive_ptr<c10d::Work> watched(c10::intrusive_ptr<c10d::Work> inner, Progress progress) {
  return c10::make_intrusive<WatchedWork>(std::move(inner), std::move(progress));
}

}  // namespace lockstep::pytorch
