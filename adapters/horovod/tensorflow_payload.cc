#include "tensorflow_payload.h"

#include <algorithm>
#include <string>
#include <vector>

#include "held_tensors.h"

namespace lockstep::adapters::horovod {
namespace {

constexpr int kFailedPrecondition = 9;  // TF_FAILED_PRECONDITION

void fail(const TensorFlowApi& tensorflow, void* context, const std::string& why) {
  const TensorFlowApi::Text name = tensorflow.name_of(context);
  const std::string text = "lockstep replay: " + std::string(name.data, name.length) + ": " + why;
  TensorFlowApi::Status* const status = tensorflow.new_status();
  tensorflow.set_status(status, kFailedPrecondition, text.c_str());
  tensorflow.fail(context, status);
  tensorflow.delete_status(status);
}

// That of the input, with as many rows as the recorded result has: ranks may have brought more together.
std::vector<std::int64_t> shape_for(std::vector<std::int64_t> input, std::uint64_t bytes, std::size_t width) {
  const auto elements = static_cast<std::int64_t>(width == 0 ? 0 : bytes / width);
  std::int64_t row = 1;
  for (std::size_t i = 1; i < input.size(); ++i) row *= input[i];
  if (input.empty() && elements != 1) return {elements};
  if (!input.empty() && row != 0) input[0] = elements / row;
  return input;
}

}  // namespace

void keep_inputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket, bool gives) {
  HeldTensors inputs(tensorflow);
  if (gives) inputs.take_inputs(context);
  lockstep_keep_input(&ticket, inputs.is_ok() ? inputs.pieces().data() : nullptr, inputs.size());
}

void keep_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket) {
  HeldTensors outputs(tensorflow);
  const bool is_whole = outputs.take_outputs(context);
  lockstep_keep_output(&ticket, is_whole ? outputs.pieces().data() : nullptr, outputs.size(), -1);
}

void keep_failure(const lockstep_ticket& ticket) {
  constexpr char kText[] = "Horovod failed the step";
  lockstep_keep_failure(&ticket, kText, sizeof kText - 1);
}

bool serve_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket) {
  HeldTensors inputs(tensorflow);
  inputs.take_inputs(context);
  HeldTensors outputs(tensorflow);
  std::vector<lockstep_room> rooms;
  for (int at = 0; at < tensorflow.output_count(context); ++at) {
    std::uint64_t bytes = 0;
    const int status = lockstep_served_bytes(&ticket, static_cast<std::size_t>(at), &bytes);
    if (status != LOCKSTEP_SERVED) {
      fail(tensorflow, context, lockstep_serve_reason(status));
      return false;
    }
    const int type = tensorflow.output_type(context, at);
    const auto shape =
        shape_for(inputs.shape_of(static_cast<std::size_t>(at)), bytes, tensorflow.type_size(type));
    TensorFlowApi::Tensor* const room =
        tensorflow.allocate_output(context, at, type, shape.data(), static_cast<int>(shape.size()),
                                   static_cast<std::size_t>(bytes), outputs.status());
    if (!outputs.add(room)) {
      fail(tensorflow, context, "there is no room for its result");
      return false;
    }
    rooms.push_back({tensorflow.data_of(room), static_cast<std::size_t>(bytes)});
  }
  lockstep_served served{};
  served.size = sizeof served;
  const int status = lockstep_serve_call(&ticket, rooms.data(), rooms.size(), &served);
  if (status != LOCKSTEP_SERVED) fail(tensorflow, context, lockstep_serve_reason(status));
  return status == LOCKSTEP_SERVED;
}

void refuse_replay(const TensorFlowApi& tensorflow, void* context) {
  fail(tensorflow, context, "a broadcast in place cannot be replayed; without inplace=True it can");
}

}  // namespace lockstep::adapters::horovod
