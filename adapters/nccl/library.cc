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

using IsCandidate = bool (*)(const char* path);

struct Search {
  IsCandidate is_candidate;
  int to_skip;  // candidates that were looked at before
  char path[PATH_MAX];
};

bool is_named_nccl(const char* path) {
  const char* slash = ::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return ::strncmp(name, "libnccl.so", 10) == 0 || ::strncmp(name, "librccl.so", 10) == 0;
}

// A library that NCCL was linked into.
bool is_any_file(const char* path) {
  return ::strrchr(path, '/') != nullptr;
}

int look_at(dl_phdr_info* object, std::size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* path = object->dlpi_name;
  if (path == nullptr || !search->is_candidate(path)) return 0;
  const std::size_t length = ::strlen(path);
  if (length >= sizeof search->path || search->to_skip-- > 0) return 0;
  ::memcpy(search->path, path, length + 1);
  return 1;
}

// The adapter's own libraries do not have this one function, but for the front.
bool has_nccl(void* handle) {
  return ::dlsym(handle, "ncclGetVersion") != nullptr && ::dlsym(handle, "lockstep_nccl_is_front") == nullptr;
}

void* find_loaded(IsCandidate is_candidate) {
  for (int seen = 0;; ++seen) {
    Search search{is_candidate, seen, {}};
    if (::dl_iterate_phdr(look_at, &search) == 0) return nullptr;
    void* handle = ::dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (has_nccl(handle)) return handle;
    ::dlclose(handle);
  }
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
  void* handle = find_loaded(is_named_nccl);
  return handle != nullptr ? handle : find_loaded(is_any_file);
}

void use_library(void* handle) {
  fill(handle);
}

const Real& real() {
  if (!is_found.load(std::memory_order_acquire)) [[unlikely]] {
    if (void* handle = find_loaded_library()) fill(handle);
  }
  return found;
}

}  // namespace lockstep::adapters::nccl
