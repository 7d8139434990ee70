#include "real_library.h"

#include <cstddef>
#include <dlfcn.h>
#include <initializer_list>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapters/nccl/wrapper_table.h"

namespace lockstep::adapters::nccl::front {
namespace {

constexpr const char* kName = "libnccl.so.2";
constexpr const char* kSystemFolders[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
    "/usr/local/cuda/lib64"};

// The front is met again in LD_LIBRARY_PATH.
void* load(const char* path) {
  void* handle = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr || ::dlsym(handle, "lockstep_nccl_is_front") == nullptr) return handle;
  ::dlclose(handle);
  return nullptr;
}

void* load_from(const char* folder, std::size_t length) {
  char path[PATH_MAX];
  const int written = ::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(length), folder, kName);
  return written > 0 && static_cast<std::size_t>(written) < sizeof path ? load(path) : nullptr;
}

// site-packages/torch/lib/libtorch_cuda.so has site-packages/nvidia/nccl/lib/libnccl.so.2 two folders up.
int look_beside(dl_phdr_info* object, std::size_t, void* found) {
  auto* path = static_cast<char*>(found);
  const char* slash = object->dlpi_name == nullptr ? nullptr : ::strrchr(object->dlpi_name, '/');
  if (slash == nullptr) return 0;
  for (const char* way : {"/..", "/../..", "/../../.."}) {
    const int written =
        ::snprintf(path, PATH_MAX, "%.*s%s/nvidia/nccl/lib/%s", static_cast<int>(slash - object->dlpi_name),
                   object->dlpi_name, way, kName);
    if (written > 0 && written < PATH_MAX && ::access(path, R_OK) == 0) return 1;
  }
  return 0;
}

void* load_beside() {
  char path[PATH_MAX];
  return ::dl_iterate_phdr(look_beside, path) == 0 ? nullptr : load(path);
}

void* load_from_list(const char* folders) {
  while (folders != nullptr && *folders != '\0') {
    const std::size_t length = ::strcspn(folders, ":");
    if (void* handle = length == 0 ? nullptr : load_from(folders, length)) return handle;
    folders += folders[length] == ':' ? length + 1 : length;
  }
  return nullptr;
}

}  // namespace

void* load_real_library() {
  const char* told = ::getenv("LOCKSTEP_NCCL_LIBRARY");
  if (told != nullptr && told[0] != '\0') return load(told);
  if (void* handle = lockstep_nccl_loaded_library()) return handle;
  if (void* handle = load_beside()) return handle;
  if (void* handle = load_from_list(::getenv("LD_LIBRARY_PATH"))) return handle;
  for (const char* folder : kSystemFolders) {
    if (void* handle = load_from(folder, ::strlen(folder))) return handle;
  }
  return nullptr;
}

}  // namespace lockstep::adapters::nccl::front
