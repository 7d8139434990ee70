#include "device_sum.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "device_runtime.h"
#include "device_sum_kernel.h"

namespace lockstep::pytorch {

#ifdef LOCKSTEP_HAS_native_handle
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 1024;    // of one tensor
constexpr std::uint64_t kMostTensors = 65535;  // of one launch
constexpr std::uint64_t kBytesOfThread = 16;
constexpr std::uint64_t kLongTensor = std::uint64_t{32} << 20;
constexpr std::size_t kFewTensors = 8;
constexpr std::int64_t kRooms = 4096;
constexpr std::int64_t kRoomWords = 4;  // two sums, a counter, and one that is not used

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

struct Kernels {
  void* of_one = nullptr;
  void* of_table = nullptr;
};

// In the context of the device, which is the current one of this thread.
const Kernels& kernels_on(c10::Device device) {
  static auto* const mutex = new std::mutex;
  static auto* const all = new std::map<c10::DeviceIndex, Kernels>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [known, is_new] = all->emplace(device.index(), Kernels{});
  void* module = nullptr;
  if (is_new && driver().load_module(&module, kSumKernel) == 0) {
    driver().find_function(&known->second.of_one, module, "lockstep_sum");
    driver().find_function(&known->second.of_table, module, "lockstep_sum_table");
  }
  if (known->second.of_one == nullptr || known->second.of_table == nullptr) {
    throw std::runtime_error("the driver does not take the kernels that sum");
  }
  return known->second;
}

void launch(void* kernel, unsigned blocks, unsigned rows, void* stream, void** parameters) {
  if (driver().launch(kernel, blocks, rows, 1, kThreads, 1, 1, 0, stream, parameters, nullptr) != 0) {
    throw std::runtime_error("a kernel that sums cannot be launched");
  }
}

unsigned blocks_for(std::uint64_t bytes) {
  const std::uint64_t threads = (bytes + kBytesOfThread - 1) / kBytesOfThread;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks));
}

// Where each tensor is and how long.
void fill_table(const std::vector<at::Tensor>& tensors, std::uint64_t* table) {
  for (const at::Tensor& tensor : tensors) {
    *table++ = reinterpret_cast<std::uintptr_t>(tensor.data_ptr());
    *table++ = tensor.nbytes();
  }
}

// Tensors that one launch sums, each with as many blocks.
struct Rows {
  std::size_t first;
  std::size_t count;
  unsigned blocks;
};

// A long tensor gets a launch of its own: among many short ones it would have few blocks, and all wait for
// it.
std::vector<Rows> launches_for(const std::vector<at::Tensor>& tensors) {
  const auto share = static_cast<unsigned>(
      std::max<std::size_t>(1, 4 * kMostBlocks / std::max<std::size_t>(1, tensors.size())));
  std::vector<Rows> launches;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const unsigned blocks = blocks_for(tensors[i].nbytes());
    const bool is_long = tensors[i].nbytes() >= kLongTensor;
    const bool goes_on = !launches.empty() && !is_long && launches.back().count < kMostTensors &&
                         tensors[launches.back().first].nbytes() < kLongTensor;
    if (!goes_on) launches.push_back({i, 0, 1});
    Rows& rows = launches.back();
    ++rows.count;
    rows.blocks = is_long ? blocks : std::max(rows.blocks, std::min(blocks, share));
  }
  return launches;
}

void* stream_of(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}

}  // namespace

bool can_sum_on(c10::Device device) {
  return device.type() == c10::DeviceType::CUDA && can_ask_device(device) && driver().is_there();
}

at::Tensor sum_on_device(const std::vector<at::Tensor>& tensors, c10::Device device) {
  const c10::DeviceGuard guard(device);
  const auto whole = at::TensorOptions().dtype(at::kLong);
  const auto count = static_cast<std::int64_t>(tensors.size());
  at::Tensor words = at::zeros({count, 2}, whole.device(device));
  at::Tensor table = at::empty({count, 2}, whole.device(at::kCPU).pinned_memory(true));
  fill_table(tensors, static_cast<std::uint64_t*>(table.data_ptr()));
  table = table.to(device, /*non_blocking=*/true);
  for (const Rows& rows : launches_for(tensors)) {
    std::uint64_t* from = static_cast<std::uint64_t*>(table.data_ptr()) + 2 * rows.first;
    std::uint64_t* to = static_cast<std::uint64_t*>(words.data_ptr()) + 2 * rows.first;
    void* parameters[] = {&from, &to};
    launch(kernels_on(device).of_table, rows.blocks, static_cast<unsigned>(rows.count), stream_of(device),
           parameters);
  }
  return words;
}

// Rooms of a device are used one after the other; a kernel leaves its room as it found it.
struct SumRooms::Store {
  explicit Store(c10::Device device) {
    const at::Tensor zeros = at::zeros({kRooms, kRoomWords}, at::TensorOptions().dtype(at::kLong));
    rooms = zeros.to(device);  // is there when this returns
    results = at::empty({kRooms, 2}, zeros.options().pinned_memory(true));
    free.resize(kRooms);
    std::iota(free.begin(), free.end(), 0U);
  }
  std::uint64_t* room(std::uint32_t number) {
    return static_cast<std::uint64_t*>(rooms.data_ptr()) + kRoomWords * number;
  }
  std::uint64_t* result(std::uint32_t number) {
    return static_cast<std::uint64_t*>(results.data_ptr()) + 2 * number;
  }

  at::Tensor rooms;    // on the device
  at::Tensor results;  // on the host, where the device can write
  std::mutex mutex;
  std::vector<std::uint32_t> free;
};

SumRooms::Store& SumRooms::store_of(c10::Device device) {
  static auto* const mutex = new std::mutex;
  static auto* const stores = new std::map<c10::DeviceIndex, std::unique_ptr<Store>>;
  const std::lock_guard<std::mutex> lock(*mutex);
  auto& known = (*stores)[device.index()];
  if (known == nullptr) known = std::make_unique<Store>(device);
  return *known;
}

std::shared_ptr<SumRooms> SumRooms::sum(const std::vector<at::Tensor>& tensors, c10::Device device) {
  if (tensors.size() > kFewTensors) return nullptr;
  const c10::DeviceGuard guard(device);
  Store& store = store_of(device);
  std::vector<std::uint32_t> taken;
  {
    const std::lock_guard<std::mutex> lock(store.mutex);
    if (store.free.size() < tensors.size()) return nullptr;
    taken.assign(store.free.end() - static_cast<std::ptrdiff_t>(tensors.size()), store.free.end());
    store.free.resize(store.free.size() - tensors.size());
  }
  std::shared_ptr<SumRooms> rooms(new SumRooms(store, taken));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    void* data = tensors[i].data_ptr();
    std::uint64_t bytes = tensors[i].nbytes();
    std::uint64_t* room = store.room(taken[i]);
    std::uint64_t* result = store.result(taken[i]);
    void* parameters[] = {&data, &bytes, &room, &result};
    launch(kernels_on(device).of_one, blocks_for(bytes), 1, stream_of(device), parameters);
  }
  return rooms;
}

SumRooms::~SumRooms() {
  const std::lock_guard<std::mutex> lock(store_.mutex);
  store_.free.insert(store_.free.begin(), taken_.begin(), taken_.end());
}

std::vector<std::uint64_t> SumRooms::words() const {
  std::vector<std::uint64_t> words;
  for (const std::uint32_t number : taken_) {
    words.insert(words.end(), store_.result(number), store_.result(number) + 2);
  }
  return words;
}

#else  // this PyTorch does not tell its streams

struct SumRooms::Store {};

bool can_sum_on(c10::Device) {
  return false;
}

at::Tensor sum_on_device(const std::vector<at::Tensor>&, c10::Device) {
  throw std::runtime_error("this PyTorch does not tell its streams");
}

std::shared_ptr<SumRooms> SumRooms::sum(const std::vector<at::Tensor>&, c10::Device) {
  return nullptr;
}

SumRooms::~SumRooms() = default;

std::vector<std::uint64_t> SumRooms::words() const {
  return {};
}
#endif

namespace {

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

}  // namespace

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

std::uint64_t mix_checksum(const std::uint64_t* words, const std::vector<std::uint64_t>& bytes) {
  const DeviceSum sum = mix_sums(words, bytes);
  std::uint64_t half = 0;
  std::memcpy(&half, sum.data(), sizeof half);
  return half;
}

}  // namespace lockstep::pytorch
