// One c10d operation on its way through the dispatcher: what is known of it before it is issued, and the
// ticket under which its end is told.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/stack.h>

#include "lockstep/recorder.h"

#include "device_progress.h"
#include "operations.h"
#include "tensor_list.h"
#include "work_progress.h"

namespace lockstep::pytorch {

// An operation of the dispatcher, looked at once when it is registered.
struct Signature {
  Meaning meaning;
  std::uint32_t argument_count;
  std::uint32_t return_count;
  std::uint32_t group;          // the place of its process group among the arguments
  std::int32_t async_argument;  // -1: it has none
  const char* name;             // "c10d.allreduce_"
};

class Call {
 public:
  // Tells the recorder that the operation is being issued. `arguments` are all of them.
  Call(const Signature& signature, const c10::IValue* arguments);

  // What became of it, whether or not it returned a Work. Never throws; the stack is as the operation left
  // it, except that a Work without a future may be replaced by one that tells when it is waited for.
  void follow(const Signature& signature, c10::IValue* results) noexcept;

  void fail(const char* what) noexcept;

  // In a replay, instead of issuing it: its recorded results, in the place of the arguments on the stack.
  // Throws what stands in the way when the operation has no Work that could raise it.
  void serve(const Signature& signature, torch::jit::Stack& stack);

 private:
  void note_inputs(const TensorList& tensors);
  Progress progress();
  void follow_cpu(c10::IValue* work);
  DeviceCall device_call();

  lockstep_ticket ticket_{};
  c10::Device device_{c10::DeviceType::CPU};
  const void* group_ = nullptr;
  std::vector<at::Tensor> outputs_;  // when they are summed or kept
  bool is_posted_ = false;
  bool is_captured_ = false;
  bool has_checksums_ = false;
  bool has_payload_ = false;
};

}  // namespace lockstep::pytorch
