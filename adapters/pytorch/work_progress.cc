#include "work_progress.h"

#include <atomic>
#include <exception>
#include <string>
#include <typeinfo>

#include "error_text.h"
#include "kept_tensors.h"
#include "tensor_list.h"

namespace lockstep::pytorch {
namespace {

// Kinds of Work that were seen to have no future: asking one costs an exception each time.
class WithoutFuture {
 public:
  bool contains(const std::type_info& kind) const {
    for (const auto& known : kinds_) {
      if (known.load(std::memory_order_relaxed) == &kind) return true;
    }
    return false;
  }
  void add(const std::type_info& kind) {
    for (auto& known : kinds_) {
      const std::type_info* nothing = nullptr;
      if (known.compare_exchange_strong(nothing, &kind) || nothing == &kind) return;
    }
  }

 private:
  std::atomic<const std::type_info*> kinds_[16]{};
};

WithoutFuture without_future;

c10::intrusive_ptr<c10::ivalue::Future> future_of(c10d::Work& work) {
  const std::type_info& kind = typeid(work);
  if (without_future.contains(kind)) return {};
  try {
    if (auto future = work.getFuture()) return future;
  } catch (const std::exception&) {
  }
  without_future.add(kind);
  return {};
}

}  // namespace

void Progress::wait() const noexcept {
  if (is_posted) lockstep_mark_call(&ticket, LOCKSTEP_DONE_STARTED, 0, 0);
}

void Progress::complete(std::int32_t source) noexcept {
  if (keeps) keep_outputs(ticket, outputs, source);
  if (sums && !outputs.empty()) {
    lockstep_checksum_facts facts{};
    facts.size = sizeof facts;
    facts.has_output = 1;
    facts.output = checksum_of(outputs);
    lockstep_note_checksums(&ticket, &facts);
  }
  lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
}

void Progress::fail(const char* what) noexcept {
  if (keeps) keep_failure(ticket, what);
  lockstep_mark_call(&ticket, LOCKSTEP_DONE_FAILED, intern_error(what), 0);
}

c10::intrusive_ptr<c10d::Work> work_in(const c10::IValue* result) {
  if (result == nullptr || !result->isObject()) return {};
  return result->toCustomClass<c10d::Work>();
}

bool tell_by_future(c10d::Work& work, const Progress& progress) {
  const auto future = future_of(work);
  if (future == nullptr) return false;
  progress.wait();  // whoever waits for a future is not seen
  future->addCallback([ticket = progress.ticket](c10::ivalue::Future& ended) {
    Progress told{ticket, {}};
    if (ended.hasError()) {
      told.fail(ended.tryRetrieveErrorMessage().c_str());
    } else {
      told.complete();
    }
  });
  return true;
}

}  // namespace lockstep::pytorch
