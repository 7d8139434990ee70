#include "tensor_list.h"

#include <algorithm>

namespace lockstep::pytorch {
namespace {

// An all-gather over thousands of ranks has thousands of outputs: more than these are told as one tensor of
// all their elements.
constexpr std::size_t kMostDescribed = 64;

std::uint8_t data_type_of(at::ScalarType type) {
  switch (type) {
    case at::ScalarType::Bool:
      return LOCKSTEP_DATA_TYPE_Bool;
    case at::ScalarType::Byte:
      return LOCKSTEP_DATA_TYPE_UInt8;
    case at::ScalarType::Char:
      return LOCKSTEP_DATA_TYPE_Int8;
    case at::ScalarType::Short:
      return LOCKSTEP_DATA_TYPE_Int16;
    case at::ScalarType::Int:
      return LOCKSTEP_DATA_TYPE_Int32;
    case at::ScalarType::Long:
      return LOCKSTEP_DATA_TYPE_Int64;
    case at::ScalarType::Half:
      return LOCKSTEP_DATA_TYPE_Float16;
    case at::ScalarType::BFloat16:
      return LOCKSTEP_DATA_TYPE_BFloat16;
    case at::ScalarType::Float:
      return LOCKSTEP_DATA_TYPE_Float32;
    case at::ScalarType::Double:
      return LOCKSTEP_DATA_TYPE_Float64;
    case at::ScalarType::ComplexFloat:
      return LOCKSTEP_DATA_TYPE_Complex64;
    case at::ScalarType::ComplexDouble:
      return LOCKSTEP_DATA_TYPE_Complex128;
#if LOCKSTEP_TORCH_VERSION >= 201
    case at::ScalarType::Float8_e4m3fn:
      return LOCKSTEP_DATA_TYPE_Float8E4M3;
    case at::ScalarType::Float8_e5m2:
      return LOCKSTEP_DATA_TYPE_Float8E5M2;
#endif
#if LOCKSTEP_TORCH_VERSION >= 203
    case at::ScalarType::UInt16:
      return LOCKSTEP_DATA_TYPE_UInt16;
    case at::ScalarType::UInt32:
      return LOCKSTEP_DATA_TYPE_UInt32;
    case at::ScalarType::UInt64:
      return LOCKSTEP_DATA_TYPE_UInt64;
#endif
    default:
      return LOCKSTEP_DATA_TYPE_Other;
  }
}

template <typename Pointers>
std::int64_t elements_of(const Pointers& tensors) {
  std::int64_t elements = 0;
  for (const at::Tensor* tensor : tensors) elements += tensor->numel();
  return elements;
}

template <typename Pointers>
std::uint64_t bytes_of(const Pointers& tensors) {
  std::uint64_t bytes = 0;
  for (const at::Tensor* tensor : tensors) {
    bytes += static_cast<std::uint64_t>(tensor->numel()) * tensor->element_size();
  }
  return bytes;
}

lockstep_piece piece_of(const at::Tensor& tensor) {
  return {tensor.data_ptr(), static_cast<std::size_t>(tensor.numel()) * tensor.element_size()};
}

}  // namespace

TensorList::TensorList(Tensors kind, const c10::IValue* arguments, std::size_t count) {
  if (kind == Tensors::kNone || count == 0) return;
  append(kind == Tensors::kInputs ? inputs_ : outputs_, arguments[0]);
  if (kind == Tensors::kInPlace) inputs_ = outputs_;
  if (kind == Tensors::kOutputsThenInputs && count > 1) append(inputs_, arguments[1]);
}

// Tensor, Tensor[] and Tensor[][] alike.
void TensorList::append(Pointers& tensors, const c10::IValue& argument) {
  if (argument.isTensor()) {
    if (argument.toTensor().defined()) tensors.push_back(&argument.toTensor());
  } else if (argument.isList()) {
    for (const c10::IValue& inner : argument.toListRef()) append(tensors, inner);
  }
}

void TensorList::describe(lockstep_call_facts& facts) const {
  lockstep_tensor_facts tensors[2 * kMostDescribed];
  std::int64_t all_elements[2];
  std::uint16_t counts[2] = {0, 0};
  std::size_t described = 0;
  const Pointers* const sides[2] = {&inputs_, &outputs_};
  for (int side = 0; side < 2; ++side) {
    const Pointers& those = *sides[side];
    if (those.size() > kMostDescribed) {
      all_elements[side] = elements_of(those);
      tensors[described++] = {data_type_of(those.front()->scalar_type()), 1, &all_elements[side]};
      counts[side] = 1;
      continue;
    }
    for (const at::Tensor* tensor : those) {
      const at::IntArrayRef sizes = tensor->sizes();
      tensors[described++] = {data_type_of(tensor->scalar_type()), static_cast<std::uint32_t>(sizes.size()),
                              sizes.data()};
    }
    counts[side] = static_cast<std::uint16_t>(those.size());
  }
  if (described == 0) return;
  facts.data_type = static_cast<std::uint8_t>(tensors[0].data_type);
  facts.payload_bytes = bytes_of(inputs_.empty() ? outputs_ : inputs_);
  facts.tensors = lockstep_intern_tensors(tensors, counts[0], counts[1]);
}

c10::Device TensorList::device() const {
  if (!inputs_.empty()) return inputs_.front()->device();
  if (!outputs_.empty()) return outputs_.front()->device();
  return c10::Device(c10::DeviceType::CPU);
}

bool TensorList::can_checksum() const {
  const auto is_plain = [](const at::Tensor* tensor) {
    return tensor->device().is_cpu() && tensor->layout() == at::kStrided && tensor->is_contiguous();
  };
  return std::all_of(inputs_.begin(), inputs_.end(), is_plain) &&
         std::all_of(outputs_.begin(), outputs_.end(), is_plain);
}

std::uint64_t TensorList::checksum_inputs() const {
  std::vector<lockstep_piece> pieces;
  for (const at::Tensor* tensor : inputs_) pieces.push_back(piece_of(*tensor));
  return lockstep_checksum_pieces(pieces.data(), pieces.size());
}

std::vector<at::Tensor> TensorList::held(const Pointers& tensors) {
  std::vector<at::Tensor> held;
  for (const at::Tensor* tensor : tensors) held.push_back(*tensor);
  return held;
}

std::vector<at::Tensor> TensorList::inputs() const {
  return held(inputs_);
}

std::vector<at::Tensor> TensorList::outputs() const {
  return held(outputs_);
}

std::uint64_t checksum_of(const std::vector<at::Tensor>& tensors) {
  std::vector<lockstep_piece> pieces;
  for (const at::Tensor& tensor : tensors) pieces.push_back(piece_of(tensor));
  return lockstep_checksum_pieces(pieces.data(), pieces.size());
}

}  // namespace lockstep::pytorch
