#include "device_runtime.h"

#include <dlfcn.h>

#include <c10/core/impl/VirtualGuardImpl.h>

namespace lockstep::pytorch {
namespace {

struct Runtime {
  int (*is_capturing)(void* stream, int* status);
  int (*exchange_capture_mode)(int* mode);
};

// Where the process has it: visible to everybody, or loaded for PyTorch alone.
void* find_symbol(const char* name) {
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, name)) return symbol;
  for (const char* library :
       {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libamdhip64.so.7", "libamdhip64.so.6"}) {
    void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void* const symbol = handle == nullptr ? nullptr : ::dlsym(handle, name);
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

template <typename Function>
void find(Function& function, const char* cuda_name, const char* hip_name) {
  void* symbol = find_symbol(cuda_name);
  if (symbol == nullptr) symbol = find_symbol(hip_name);
  function = reinterpret_cast<Function>(symbol);
}

const Runtime& runtime() {
  static const Runtime found = [] {
    Runtime runtime{};
    find(runtime.is_capturing, "cudaStreamIsCapturing", "hipStreamIsCapturing");
    find(runtime.exchange_capture_mode, "cudaThreadExchangeStreamCaptureMode",
         "hipThreadExchangeStreamCaptureMode");
    return runtime;
  }();
  return found;
}

[[maybe_unused]] bool is_capturing_kind(c10::Device device) {
  return device.type() == c10::DeviceType::CUDA || device.type() == c10::DeviceType::HIP;
}

}  // namespace

DeviceStream current_stream(c10::Device device) {
  if (device.is_cpu() || !can_ask_device(device)) return {};
#ifdef LOCKSTEP_HAS_native_handle
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  if (!is_capturing_kind(device)) return {static_cast<std::uint64_t>(stream.id()), false};
  int status = 0;
  void* const handle = stream.native_handle();
  if (runtime().is_capturing(handle, &status) != 0) return {};
  return {static_cast<std::uint64_t>(stream.id()), status != 0};
#else
  return {};
#endif
}

bool can_ask_device([[maybe_unused]] c10::Device device) {
#ifdef LOCKSTEP_HAS_native_handle
  if (!is_capturing_kind(device)) return true;
  return runtime().is_capturing != nullptr && runtime().exchange_capture_mode != nullptr;
#else
  return false;
#endif
}

void allow_questions_during_capture() {
  int relaxed = 2;
  if (runtime().exchange_capture_mode != nullptr) runtime().exchange_capture_mode(&relaxed);
}

}  // namespace lockstep::pytorch
