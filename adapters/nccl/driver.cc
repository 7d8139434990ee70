#include "driver.h"

#include <atomic>
#include <dlfcn.h>

#include "try_lock.h"

namespace lockstep::adapters::nccl {
namespace {

Driver found;
std::atomic<bool> is_whole{false};
TryLock filling;
constexpr int kMostWaitMs = 5;  // once, for a thread that comes while another looks the functions up

template <typename Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

bool fill(void* handle) {
  return find(handle, "cuEventCreate", found.create_event) &&
         find(handle, "cuEventRecord", found.record_event) &&
         find(handle, "cuEventQuery", found.query_event) &&
         find(handle, "cuEventDestroy_v2", found.destroy_event) &&
         find(handle, "cuStreamIsCapturing", found.is_capturing) &&
         find(handle, "cuThreadExchangeStreamCaptureMode", found.exchange_capture_mode) &&
         find(handle, "cuStreamGetCtx", found.context_of_stream) &&
         find(handle, "cuCtxGetCurrent", found.current_context) &&
         find(handle, "cuCtxSetCurrent", found.set_context) &&
         find(handle, "cuCtxPushCurrent_v2", found.push_context) &&
         find(handle, "cuCtxPopCurrent_v2", found.pop_context);
}

}  // namespace

// Not kept when it is not there: CUDA may be loaded later.
const Driver* driver() {
  if (is_whole.load(std::memory_order_acquire)) return &found;
  if (!filling.lock_within(kMostWaitMs)) return nullptr;
  if (!is_whole.load(std::memory_order_acquire)) {
    void* handle = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr && fill(handle)) is_whole.store(true, std::memory_order_release);
  }
  filling.unlock();
  return is_whole.load(std::memory_order_acquire) ? &found : nullptr;
}

}  // namespace lockstep::adapters::nccl
