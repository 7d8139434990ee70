#include <array>
#include <dlfcn.h>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "hostinfo/state/host_state.h"

namespace lockstep::hostinfo {
namespace {

// The part of NVML's interface that is used here, under its own names. Its functions are versioned by suffix
// and do not change, so no header is needed.
using Device = struct nvmlDevice*;
constexpr int kSuccess = 0;
constexpr unsigned kSensorOfGpu = 0;
constexpr int kCorrected = 0;
constexpr int kUncorrected = 1;
constexpr int kSinceDriverLoad = 0;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

class Nvml {
 public:
  Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (is_begun_) call("nvmlShutdown");
    if (library_ != nullptr) ::dlclose(library_);
  }

  bool is_installed() const { return library_ != nullptr; }

  int begin() {
    const int status = call("nvmlInit_v2");
    is_begun_ = status == kSuccess;
    return status;
  }

  // A driver that lacks the function gives an error like any other.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    constexpr int kFunctionNotFound = 13;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
    return function == nullptr ? kFunctionNotFound : function(arguments...);
  }

  std::string words_for(int status) const {
    const auto function = reinterpret_cast<const char* (*)(int)>(::dlsym(library_, "nvmlErrorString"));
    const char* const words = function == nullptr ? nullptr : function(status);
    return words == nullptr ? fmt::format("error {}", status) : std::string(words);
  }

 private:
  void* library_;
  bool is_begun_ = false;
};

void read_identity(const Nvml& nvml, Device device, Gpu& gpu) {
  std::array<char, 96> name{};
  if (nvml.call("nvmlDeviceGetName", device, name.data(), static_cast<unsigned>(name.size() - 1)) ==
      kSuccess) {
    gpu.name = name.data();
  }
  PciInfo pci{};
  if (nvml.call("nvmlDeviceGetPciInfo_v3", device, &pci) == kSuccess) {
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    gpu.pci = pci.bus_id;
  }
}

std::optional<std::uint64_t> memory_errors(const Nvml& nvml, Device device, int kind) {
  unsigned long long count = 0;
  if (nvml.call("nvmlDeviceGetTotalEccErrors", device, kind, kSinceDriverLoad, &count) != kSuccess)
    return std::nullopt;
  return count;
}

void read_state(const Nvml& nvml, Device device, GpuState& state) {
  Utilization utilization{};
  if (nvml.call("nvmlDeviceGetUtilizationRates", device, &utilization) == kSuccess)
    state.busy_percent = utilization.gpu;
  MemoryInfo memory{};
  if (const int status = nvml.call("nvmlDeviceGetMemoryInfo", device, &memory); status == kSuccess) {
    state.memory_used_bytes = memory.used;
    state.gpu.memory_bytes = memory.total;
  } else {
    state.fault = nvml.words_for(status);
  }
  unsigned celsius = 0;
  if (nvml.call("nvmlDeviceGetTemperature", device, kSensorOfGpu, &celsius) == kSuccess)
    state.celsius = celsius;
  unsigned long long reasons = 0;
  if (nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons) == kSuccess) {
    state.slowed_by = slowdowns_in_words(reasons);
  }
  state.memory_errors_corrected = memory_errors(nvml, device, kCorrected);
  state.memory_errors_uncorrected = memory_errors(nvml, device, kUncorrected);
}

GpuState gpu_with(const Nvml& nvml, unsigned index) {
  GpuState state;
  state.gpu.index = index;
  Device device = nullptr;
  if (const int status = nvml.call("nvmlDeviceGetHandleByIndex_v2", index, &device); status != kSuccess) {
    state.fault = nvml.words_for(status);
    return state;
  }
  read_identity(nvml, device, state.gpu);
  read_state(nvml, device, state);
  return state;
}

}  // namespace

std::vector<std::string> slowdowns_in_words(std::uint64_t reasons) {
  struct Reason {
    std::uint64_t bit;
    std::string_view words;
  };
  constexpr std::array<Reason, 5> kReasons = {{{0x04, "power cap"},
                                               {0x08, "hardware slowdown"},
                                               {0x20, "temperature, by the driver"},
                                               {0x40, "temperature, by the hardware"},
                                               {0x80, "power brake"}}};
  std::vector<std::string> words;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) words.emplace_back(reason.words);
  }
  return words;
}

GpuStates read_gpus() {
  Nvml nvml;
  GpuStates found;
  if (!nvml.is_installed()) return found;
  if (const int status = nvml.begin(); status != kSuccess) {
    found.why_not = fmt::format("the GPU driver does not answer: {}", nvml.words_for(status));
    return found;
  }
  unsigned count = 0;
  nvml.call("nvmlDeviceGetCount_v2", &count);
  constexpr unsigned kMaxGpus = 64;
  for (unsigned index = 0; index < count && index < kMaxGpus; ++index)
    found.gpus.push_back(gpu_with(nvml, index));
  return found;
}

}  // namespace lockstep::hostinfo
