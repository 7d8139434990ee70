// What the Python side calls, by ctypes. Nothing throws through here.
#include <cstddef>
#include <cstdint>
#include <string>

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/library.h>

#include "lockstep/recorder.h"

#include "device_capture.h"
#include "device_progress.h"
#include "device_state.h"
#include "device_work.h"
#include "groups.h"
#include "registration.h"

#define LOCKSTEP_TORCH_API extern "C" __attribute__((visibility("default")))

namespace lockstep::pytorch {
namespace {

// Python hands a Work over only as an argument of an operation.
void end_batch_of(std::int64_t group, const c10::intrusive_ptr<c10d::Work>& work) {
  end_batch(reinterpret_cast<const void*>(group), work);
}

bool keep_state_of(std::int64_t step, const std::string& names, const std::vector<at::Tensor>& tensors) {
  return keep_state(static_cast<std::uint64_t>(step), names, tensors);
}

void define_own_operations() {
  static auto* const library = [] {
    auto* own = new torch::Library(torch::Library::DEF, "lockstep_recorder", {}, __FILE__, __LINE__);
    own->def("end_batch", end_batch_of);
    own->def("keep_state", keep_state_of);
    return own;
  }();
  static_cast<void>(library);
}

template <typename Step>
const char* text_of_failure(Step step) {
  static std::string* const text = new std::string;
  try {
    step();
    return nullptr;
  } catch (const std::exception& error) {
    *text = error.what();
  } catch (...) {
    *text = "unknown exception";
  }
  return text->c_str();
}

}  // namespace
}  // namespace lockstep::pytorch

// Null, or why it failed.
LOCKSTEP_TORCH_API const char* lockstep_torch_install() {
  return lockstep::pytorch::text_of_failure([] {
    lockstep::pytorch::register_kernels();
    lockstep::pytorch::define_own_operations();
  });
}

LOCKSTEP_TORCH_API const char* lockstep_torch_uninstall() {
  return lockstep::pytorch::text_of_failure([] { lockstep::pytorch::unregister_kernels(); });
}

// The names of the operations that are seen, one to a line.
LOCKSTEP_TORCH_API const char* lockstep_torch_seen() {
  static const std::string* const seen = [] {
    auto* text = new std::string;
    for (const std::string& name : lockstep::pytorch::seen_operations()) *text += name + "\n";
    return text;
  }();
  return seen->c_str();
}

LOCKSTEP_TORCH_API void lockstep_torch_remember_group(const void* group,
                                                      const lockstep_communicator_facts* facts) {
  lockstep::pytorch::text_of_failure([&] { lockstep::pytorch::remember_group(group, *facts); });
}

LOCKSTEP_TORCH_API void lockstep_torch_begin_batch(const void* group) {
  lockstep::pytorch::text_of_failure([&] { lockstep::pytorch::begin_batch(group); });
}

// A batch whose Work is not at hand: the end of its operations stays unknown or is on the current stream.
LOCKSTEP_TORCH_API void lockstep_torch_end_batch_without_work(const void* group) {
  lockstep::pytorch::text_of_failure([&] { lockstep::pytorch::end_batch(group, {}); });
}

LOCKSTEP_TORCH_API void lockstep_torch_stop() {
  lockstep::pytorch::text_of_failure([] {
    lockstep::pytorch::stop_capturing();
    lockstep::pytorch::stop_asking();
  });
}
