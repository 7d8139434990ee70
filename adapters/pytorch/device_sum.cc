#include "device_sum.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <stdexcept>

#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "device_runtime.h"
#include "device_sum_kernel.h"

namespace lockstep::pytorch {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 1024;
constexpr std::uint64_t kBytesOfThread = 16;

// What is needed of the driver, which the process has loaded. Handles are pointers, results 0 or an error.
struct Driver {
  int (*load_module)(void** module, const void* image);
  int (*find_function)(void** function, void* module, const char* name);
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** parameters,
                void** extra);
  bool is_there() const { return load_module != nullptr && find_function != nullptr && launch != nullptr; }
};

const Driver& driver() {
  static const Driver found = [] {
    Driver driver{};
    void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return driver;
    driver.load_module = reinterpret_cast<decltype(driver.load_module)>(::dlsym(library, "cuModuleLoadData"));
    driver.find_function =
        reinterpret_cast<decltype(driver.find_function)>(::dlsym(library, "cuModuleGetFunction"));
    driver.launch = reinterpret_cast<decltype(driver.launch)>(::dlsym(library, "cuLaunchKernel"));
    return driver;
  }();
  return found;
}

// The kernel in the context of each device, which is the current one of this thread; null: it has none.
void* kernel_on(c10::Device device) {
  static auto* const mutex = new std::mutex;
  static auto* const kernels = new std::map<c10::DeviceIndex, void*>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [known, is_new] = kernels->emplace(device.index(), nullptr);
  void* module = nullptr;
  if (is_new && driver().load_module(&module, kSumKernel) == 0) {
    driver().find_function(&known->second, module, "lockstep_sum");
  }
  return known->second;
}

unsigned alignment_of(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return address % 8 == 0 ? 8 : address % 4 == 0 ? 4 : 1;
}

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

#ifdef LOCKSTEP_HAS_native_handle
void* stream_of(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}
#endif

}  // namespace

bool can_sum_on(c10::Device device) {
  return device.type() == c10::DeviceType::CUDA && can_ask_device(device) && driver().is_there();
}

at::Tensor sum_on_device(const std::vector<at::Tensor>& tensors, c10::Device device) {
#ifdef LOCKSTEP_HAS_native_handle
  const c10::DeviceGuard guard(device);
  at::Tensor words = at::zeros({static_cast<std::int64_t>(tensors.size()), 2},
                               at::TensorOptions().device(device).dtype(at::kLong));
  void* const kernel = kernel_on(device);
  if (kernel == nullptr) throw std::runtime_error("the driver does not take the kernel that sums");
  auto* to = static_cast<std::uint64_t*>(words.data_ptr());
  for (const at::Tensor& tensor : tensors) {
    void* data = tensor.data_ptr();
    std::uint64_t bytes = static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
    unsigned alignment = alignment_of(data);
    void* parameters[] = {&data, &bytes, &alignment, &to};
    const std::uint64_t threads = (bytes + kBytesOfThread - 1) / kBytesOfThread;
    const std::uint64_t blocks = std::min(kMostBlocks, (threads + kThreads - 1) / kThreads);
    if (blocks != 0 && driver().launch(kernel, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0,
                                       stream_of(device), parameters, nullptr) != 0) {
      throw std::runtime_error("the kernel that sums cannot be launched");
    }
    to += 2;
  }
  return words;
#else
  throw std::runtime_error("this PyTorch does not tell its streams");
#endif
}

DeviceSum mix_sums(const std::uint64_t* words, const std::vector<std::uint64_t>& bytes) {
  std::uint64_t halves[2] = {0, 0};
  for (const std::uint64_t size : bytes) {
    halves[0] = mixed(halves[0] ^ (*words++ + 0x9E3779B97F4A7C15U * (size + 1)));
    halves[1] = mixed(halves[1] ^ *words++ ^ halves[0]);
    halves[0] = mixed(halves[0] ^ halves[1]);
  }
  DeviceSum sum;
  static_assert(sizeof halves == sizeof sum);
  std::memcpy(sum.data(), halves, sizeof halves);
  return sum;
}

}  // namespace lockstep::pytorch
