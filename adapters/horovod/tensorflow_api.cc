#include "tensorflow_api.h"

#include <dlfcn.h>
#include <type_traits>

#include "lockstep/recorder.h"

namespace lockstep::adapters::horovod {

bool TensorFlowApi::find(void* handle) {
  bool has_all = true;
  const auto find_one = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    has_all = has_all && function != nullptr;
  };
  find_one(new_status, "TF_NewStatus");
  find_one(delete_status, "TF_DeleteStatus");
  find_one(code_of, "TF_GetCode");
  find_one(attribute_int, "TF_OpKernelConstruction_GetAttrInt32");
  find_one(attribute_bool, "TF_OpKernelConstruction_GetAttrBool");
  find_one(name_of, "TF_GetOpKernelName");
  find_one(input_count, "TF_NumInputs");
  find_one(input, "TF_GetInput");
  find_one(delete_tensor, "TF_DeleteTensor");
  find_one(type_of, "TF_TensorType");
  find_one(dimension_count, "TF_NumDims");
  find_one(dimension, "TF_Dim");
  find_one(byte_size, "TF_TensorByteSize");
  find_one(data_of, "TF_TensorData");
  const bool can_see_inputs = has_all;
  find_one(output_count, "TF_NumOutputs");
  find_one(output_type, "TF_ExpectedOutputDataType");
  find_one(type_size, "TF_DataTypeSize");
  find_one(output, "TF_GetMutableOutput");
  find_one(allocate_output, "TF_AllocateOutput");
  find_one(set_status, "TF_SetStatus");
  find_one(fail, "TF_OpKernelContext_Failure");
  has_outputs = has_all;
  return can_see_inputs;
}

// The numbers are part of TensorFlow's stored graphs and never change.
std::uint8_t data_type_of(int tensorflow_type) {
  switch (tensorflow_type) {
    case 1:
      return LOCKSTEP_DATA_TYPE_Float32;
    case 2:
      return LOCKSTEP_DATA_TYPE_Float64;
    case 3:
      return LOCKSTEP_DATA_TYPE_Int32;
    case 4:
      return LOCKSTEP_DATA_TYPE_UInt8;
    case 5:
      return LOCKSTEP_DATA_TYPE_Int16;
    case 6:
      return LOCKSTEP_DATA_TYPE_Int8;
    case 8:
      return LOCKSTEP_DATA_TYPE_Complex64;
    case 9:
      return LOCKSTEP_DATA_TYPE_Int64;
    case 10:
      return LOCKSTEP_DATA_TYPE_Bool;
    case 14:
      return LOCKSTEP_DATA_TYPE_BFloat16;
    case 17:
      return LOCKSTEP_DATA_TYPE_UInt16;
    case 18:
      return LOCKSTEP_DATA_TYPE_Complex128;
    case 19:
      return LOCKSTEP_DATA_TYPE_Float16;
    case 22:
      return LOCKSTEP_DATA_TYPE_UInt32;
    case 23:
      return LOCKSTEP_DATA_TYPE_UInt64;
    default:
      return LOCKSTEP_DATA_TYPE_Other;
  }
}

}  // namespace lockstep::adapters::horovod
