#include "tensorflow_sums.h"

#include <dlfcn.h>

#include "held_tensors.h"

namespace lockstep::adapters::horovod {
namespace {

bool is_loaded(const char* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

std::uint64_t sum_of(const HeldTensors& tensors) {
  const std::vector<lockstep_piece> pieces = tensors.pieces();
  return lockstep_checksum_pieces(pieces.data(), tensors.size());
}

}  // namespace

bool takes_sums(const TensorFlowApi& tensorflow) {
  if (lockstep_wants_checksums() == 0 || !tensorflow.has_outputs) return false;
  static const bool kMayUseDevices = is_loaded("libcuda.so.1") || is_loaded("libamdhip64.so");
  return !kMayUseDevices;
}

void sum_inputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket) {
  HeldTensors inputs(tensorflow);
  inputs.take_inputs(context);
  if (!inputs.is_ok() || inputs.size() == 0) return;
  lockstep_checksum_facts facts{};
  facts.size = sizeof facts;
  facts.has_input = 1;
  facts.input = sum_of(inputs);
  lockstep_note_checksums(&ticket, &facts);
}

void sum_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket) {
  HeldTensors outputs(tensorflow);
  if (!outputs.take_outputs(context) || outputs.size() == 0) return;
  lockstep_checksum_facts facts{};
  facts.size = sizeof facts;
  facts.has_output = 1;
  facts.output = sum_of(outputs);
  lockstep_note_checksums(&ticket, &facts);
}

}  // namespace lockstep::adapters::horovod
