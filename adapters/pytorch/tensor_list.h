// The tensors of one operation: their shapes for the record, their bytes for checksums.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include "lockstep/recorder.h"

#include "operations.h"

namespace lockstep::pytorch {

// Points into the arguments: to be used only while they are there, before the operation is issued.
class TensorList {
 public:
  // `arguments` are those before the group.
  TensorList(Tensors kind, const c10::IValue* arguments, std::size_t count);

  void describe(lockstep_call_facts& facts) const;

  // Of a tensor that takes part; CPU when there is none.
  c10::Device device() const;

  // From here on there are only outputs.
  void forget_inputs() { inputs_.clear(); }

  bool can_checksum() const;
  bool has_inputs() const { return !inputs_.empty(); }
  std::uint64_t checksum_inputs() const;
  std::vector<at::Tensor> inputs() const;
  std::vector<at::Tensor> outputs() const;

 private:
  using Pointers = c10::SmallVector<const at::Tensor*, 8>;
  static void append(Pointers& tensors, const c10::IValue& argument);
  static std::vector<at::Tensor> held(const Pointers& tensors);

  Pointers inputs_;
  Pointers outputs_;
};

std::uint64_t checksum_of(const std::vector<at::Tensor>& tensors);

}  // namespace lockstep::pytorch
