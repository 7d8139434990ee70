#include "device_work.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "device_progress.h"
#include "forwarded_work.h"

namespace lockstep::pytorch {
namespace {

// The Work of a device operation is often dropped long before the device is done: DDP keeps only its future.
// So whoever waits for either leaves an event behind it.
class DeviceWork final : public ForwardedWork {
 public:
  DeviceWork(c10::intrusive_ptr<c10d::Work> inner, DeviceCall call)
      : ForwardedWork(std::move(inner)), call_(std::move(call)) {}

  bool wait(std::chrono::milliseconds timeout) override {
    try {
      const bool is_queued = inner().wait(timeout);
      leave_event();
      return is_queued;
    } catch (const std::exception& error) {
      call_.tell(LOCKSTEP_DONE_FAILED, error.what());
      throw;
    }
  }

  void synchronize() override {
    inner().synchronize();
    leave_event();
  }

  // The callback runs at once, on a stream that waits for the operation.
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future = inner().getFuture();
    future->addCallback([call = call_](c10::ivalue::Future& ended) {
      if (ended.hasError()) {
        call.tell(LOCKSTEP_DONE_FAILED, ended.tryRetrieveErrorMessage().c_str());
      } else {
        leave_event_of(call);
      }
    });
    return future;
  }

 private:
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

}  // namespace

c10::intrusive_ptr<c10d::Work> follow_device(const lockstep_ticket& ticket, c10::Device device,
                                             const void* group, const c10::intrusive_ptr<c10d::Work>& work) {
  const DeviceCall call{ticket, device};
  if (was_put_into_batch(group, call)) return {};
  if (work == nullptr) {
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
  for (const DeviceCall& call : calls) {
    if (work == nullptr) {
      ask_event(call);
    } else {
      ask_work(call, work);
    }
  }
}

}  // namespace lockstep::pytorch
