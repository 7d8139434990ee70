#include "device_work.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "capture_stream.h"
#include "device_events.h"
#include "forwarded_work.h"

namespace lockstep::pytorch {
namespace {

// On the stream that is current then; older versions always choose another one.
template <typename Callback>
void on_end_of(c10::ivalue::Future& future, Callback callback) {
#ifdef LOCKSTEP_HAS_uses_future
  future.addCallback(std::move(callback), /*uses_future=*/false);
#else
  future.addCallback(std::move(callback));
#endif
}

// The Work of a device operation is often dropped long before the device is done: DDP keeps only its future.
// So whoever waits for either leaves an event behind it.
class DeviceWork final : public ForwardedWork {
 public:
  DeviceWork(c10::intrusive_ptr<c10d::Work> inner, DeviceCall call)
      : ForwardedWork(std::move(inner)), call_(std::move(call)) {}

  bool isCompleted() override {
    const bool is_completed = inner().isCompleted();
    if (is_completed) call_.take_outputs();
    return is_completed;
  }

  bool wait(std::chrono::milliseconds timeout) override {
    try {
      const bool is_queued = inner().wait(timeout);
      call_.take_outputs();
      leave_event();
      return is_queued;
    } catch (const std::exception& error) {
      call_.tell(LOCKSTEP_DONE_FAILED, error.what());
      throw;
    }
  }

  void synchronize() override {
    inner().synchronize();
    call_.take_outputs();
    leave_event();
  }

#ifdef LOCKSTEP_HAS_blockCurrentStream
  void blockCurrentStream() override {
    inner().blockCurrentStream();
    call_.take_outputs();
    leave_event();
  }
#endif

  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future = inner().getFuture();
    if (call_.outputs != nullptr) return future_behind_capture(*future);
    future->addCallback([call = call_](c10::ivalue::Future& ended) { tell_end(call, ended); });
    return future;
  }

 private:
  static void tell_end(const DeviceCall& call, c10::ivalue::Future& ended) {
    if (ended.hasError()) {
      call.tell(LOCKSTEP_DONE_FAILED, ended.tryRetrieveErrorMessage().c_str());
    } else {
      call.take_outputs();
      leave_event_of(call);
    }
  }

  // Who waits for it may change the outputs. The callback runs at once.
  c10::intrusive_ptr<c10::ivalue::Future> future_behind_capture(c10::ivalue::Future& future) {
    auto behind = future.createInstance(future.elementType());
    on_end_of(future, [call = call_, behind](c10::ivalue::Future& ended) {
      if (ended.hasError()) {
        tell_end(call, ended);
        return behind->setError(ended.exception_ptr());
      }
      const c10::StreamGuard guard(capture_stream(call.ticket, call.device));
      ended.wait();  // orders the stream, not this thread
      tell_end(call, ended);
      behind->markCompleted(ended.value(), ended.storages());
    });
    return behind;
  }

  static void leave_event_of(const DeviceCall& call) noexcept {
    try {
      ask_event(call);
    } catch (...) {  // this call stays without an end
    }
  }
  void leave_event() noexcept {
    if (!call_.is_told->load()) leave_event_of(call_);
  }

  DeviceCall call_;
};

struct Batches {
  std::mutex mutex;
  std::unordered_map<const void*, std::vector<DeviceCall>> open;
};
Batches& batches() {
  static Batches* const all = new Batches;
  return *all;
}

bool was_put_into_batch(const void* group, const DeviceCall& call) {
  const std::lock_guard<std::mutex> lock(batches().mutex);
  const auto found = batches().open.find(group);
  if (found == batches().open.end()) return false;
  found->second.push_back(call);
  return true;
}

// The Work of a batch is waited for by whoever made it, on a stream of its choice; its future orders nothing.
// So another stream waits for it first, and the current one for that.
void take_outputs_of(const std::vector<DeviceCall>& calls, const c10::intrusive_ptr<c10d::Work>& work) {
  const auto wanted = std::find_if(calls.begin(), calls.end(),
                                   [](const DeviceCall& call) { return call.outputs != nullptr; });
  if (wanted == calls.end()) return;
  const c10::impl::VirtualGuardImpl runtime(wanted->device.type());
  const c10::Stream consumer = runtime.getStream(wanted->device);
  const c10::StreamGuard guard(work == nullptr ? consumer : runtime.getStreamFromGlobalPool(wanted->device));
  if (work != nullptr) work->synchronize();
  for (const DeviceCall& call : calls) call.take_outputs();
  DeviceEvent(guard.current_stream()).block(consumer);
}

}  // namespace

c10::intrusive_ptr<c10d::Work> follow_device(const DeviceCall& call, const void* group,
                                             const c10::intrusive_ptr<c10d::Work>& work) {
  if (was_put_into_batch(group, call)) return {};
  if (work == nullptr) {
    call.take_outputs();
    ask_event(call);
    return {};
  }
  ask_work(call, work);
  return c10::make_intrusive<DeviceWork>(work, call);
}

void begin_batch(const void* group) {
  const std::lock_guard<std::mutex> lock(batches().mutex);
  batches().open[group].clear();
}

void end_batch(const void* group, const c10::intrusive_ptr<c10d::Work>& work) {
  std::vector<DeviceCall> calls;
  {
    const std::lock_guard<std::mutex> lock(batches().mutex);
    calls.swap(batches().open[group]);
    batches().open.erase(group);
  }
  take_outputs_of(calls, work);
  for (const DeviceCall& call : calls) {
    if (work == nullptr) {
      ask_event(call);
    } else {
      ask_work(call, work);
    }
  }
}

}  // namespace lockstep::pytorch
