#include "library.h"

#include <atomic>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "lockstep/recorder.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr const char* kNames[] = {
#define LOCKSTEP_NCCL_NAME(name, parameters) "nccl" #name,
    LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_NAME)
#undef LOCKSTEP_NCCL_NAME
};

std::atomic<std::uint32_t> name_ids[kFunctionCount];
std::atomic<int> name_recording;

Real found;
std::atomic<bool> is_found{false};

void fill(void* handle) {
#define LOCKSTEP_NCCL_FIND(name, parameters) \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(handle, "nccl" #name));
  LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_FIND)
  LOCKSTEP_NCCL_QUESTIONS(LOCKSTEP_NCCL_FIND)
#undef LOCKSTEP_NCCL_FIND
  found.GetErrorString =
      reinterpret_cast<decltype(found.GetErrorString)>(::dlsym(handle, "ncclGetErrorString"));
  is_found.store(true, std::memory_order_release);
}

struct Search {
  char path[PATH_MAX];
  int skipped;  // candidates that came before and were not it
  int to_skip;
};

bool is_nccl(const char* path) {
  const char* slash = ::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return ::strncmp(name, "libnccl.so", 10) == 0 || ::strncmp(name, "librccl.so", 10) == 0;
}

int look_at(dl_phdr_info* object, std::size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* path = object->dlpi_name;
  if (path == nullptr || !is_nccl(path) || ::strlen(path) >= sizeof search->path) return 0;
  if (search->skipped++ < search->to_skip) return 0;
  ::strcpy(search->path, path);
  return 1;
}

bool is_front(void* handle) {
  return ::dlsym(handle, "lockstep_nccl_is_front") != nullptr;
}

}  // namespace

const char* name_of(Function function) {
  return kNames[function];
}

std::uint32_t name_id(Function function) {
  const int recording = lockstep_is_recording();
  if (name_recording.exchange(recording, std::memory_order_relaxed) != recording) {
    for (auto& id : name_ids) id.store(0, std::memory_order_relaxed);
  }
  std::uint32_t id = name_ids[function].load(std::memory_order_relaxed);
  if (id == 0) {
    id = lockstep_intern_string(kNames[function], ::strlen(kNames[function]));
    name_ids[function].store(id, std::memory_order_relaxed);
  }
  return id;
}

void* find_loaded_library() {
  for (int candidate = 0;; ++candidate) {
    Search search{};
    search.to_skip = candidate;
    if (::dl_iterate_phdr(look_at, &search) == 0) return nullptr;
    void* handle = ::dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr && !is_front(handle)) return handle;
  }
}

void use_library(void* handle) {
  fill(handle);
}

// Programs that are linked with NCCL have it behind us; Python's extensions have it for themselves.
const Real& real() {
  if (!is_found.load(std::memory_order_acquire)) [[unlikely]] {
    void* handle = find_loaded_library();
    if (handle != nullptr || ::dlsym(RTLD_NEXT, "ncclGetVersion") != nullptr) {
      fill(handle != nullptr ? handle : RTLD_NEXT);
    }
  }
  return found;
}

}  // namespace lockstep::adapters::nccl
