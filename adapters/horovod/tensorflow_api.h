// The few functions of TensorFlow's C interface for kernels that tell what a kernel is and was given. They
// take the C++ objects as they are: TensorFlow's own C kernels get the same pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::adapters::horovod {

struct TensorFlowApi {
  struct Status;
  struct Tensor;
  struct Text {
    const char* data;
    std::size_t length;
  };

  Status* (*new_status)() = nullptr;
  void (*delete_status)(Status*) = nullptr;
  int (*code_of)(const Status*) = nullptr;
  void (*attribute_int)(void* construction, const char* name, std::int32_t* value, Status*) = nullptr;
  void (*attribute_bool)(void* construction, const char* name, unsigned char* value, Status*) = nullptr;
  Text (*name_of)(void* context) = nullptr;
  int (*input_count)(void* context) = nullptr;
  void (*input)(void* context, int at, Tensor** tensor, Status*) = nullptr;
  void (*delete_tensor)(Tensor*) = nullptr;
  int (*type_of)(const Tensor*) = nullptr;
  int (*dimension_count)(const Tensor*) = nullptr;
  std::int64_t (*dimension)(const Tensor*, int at) = nullptr;
  std::size_t (*byte_size)(const Tensor*) = nullptr;
  void* (*data_of)(const Tensor*) = nullptr;

  // For payload; a TensorFlow may lack them.
  int (*output_count)(void* context) = nullptr;
  int (*output_type)(void* context, int at) = nullptr;
  std::size_t (*type_size)(int type) = nullptr;
  Tensor* (*output)(void* context, int at, Status*) = nullptr;
  Tensor* (*allocate_output)(void* context, int at, int type, const std::int64_t* dimensions, int count,
                             std::size_t bytes, Status*) = nullptr;
  void (*set_status)(Status*, int code, const char* text) = nullptr;
  void (*fail)(void* context, Status*) = nullptr;
  bool has_outputs = false;  // whether all of these are there

  // False when this TensorFlow lacks one of them. `handle`: an object that needs TensorFlow.
  bool find(void* handle);
};

// TensorFlow's number of an element type as ours.
std::uint8_t data_type_of(int tensorflow_type);

}  // namespace lockstep::adapters::horovod
