#include "kept_tensors.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "device_capture.h"
#include "device_sum.h"
#include "error_text.h"

namespace lockstep::pytorch {
namespace {

bool is_readable(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.layout() == at::kStrided;
}

// On one device, by itself.
bool can_be_summed_there(const std::vector<at::Tensor>& tensors) {
  if (tensors.empty() || !can_sum_on(tensors.front().device())) return false;
  return std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    return tensor.device() == tensors.front().device() && tensor.layout() == at::kStrided;
  });
}

bool are_readable(const std::vector<at::Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), is_readable);
}

std::size_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
}

// Their bytes in the order of their elements, whatever their strides are.
class Pieces {
 public:
  explicit Pieces(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
      held_.push_back(tensor.is_contiguous() ? tensor : tensor.contiguous());
      pieces_.push_back({held_.back().data_ptr(), bytes_of(tensor)});
    }
    if (pieces_.empty()) pieces_.push_back({nullptr, 0});
  }
  const lockstep_piece* data() const { return pieces_.data(); }

 private:
  std::vector<at::Tensor> held_;
  std::vector<lockstep_piece> pieces_;
};

// From which a device takes it without being waited for.
at::Tensor room_for(const at::Tensor& tensor) {
  const bool is_on_device = !tensor.device().is_cpu();
  return at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(is_on_device));
}

std::string why_not(int status, const char* name, const lockstep_ticket& ticket, std::uint64_t step) {
  const std::string call =
      std::string(name) + ", number " + std::to_string(ticket.sequence) + " of its group";
  switch (status) {
    case LOCKSTEP_SERVE_OPEN:
      return "lockstep replay: the recording ends here: " + call + " (after step " + std::to_string(step) +
             ") was made and never seen to end";
    case LOCKSTEP_SERVE_MISFIT:
      return "lockstep replay: off the record: " + call + " had tensors of other sizes in the recorded run";
    case LOCKSTEP_SERVE_NOT_KEPT:
      return "lockstep replay: the recording ends here: the result of " + call + " (after step " +
             std::to_string(step) + ") was not kept";
    default:
      return "lockstep replay: off the record: the recorded rank did not make " + call +
             "; its recording ended before, or this program does something else";
  }
}

}  // namespace

void keep_inputs(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs) {
  if (can_be_summed_there(inputs)) return capture_input_sum(ticket, inputs);
  if (!are_readable(inputs)) return lockstep_keep_input(&ticket, nullptr, inputs.size());
  const Pieces pieces(inputs);
  lockstep_keep_input(&ticket, pieces.data(), inputs.size());
}

void keep_outputs(const lockstep_ticket& ticket, const std::vector<at::Tensor>& outputs,
                  std::int32_t source) {
  if (!are_readable(outputs)) return lockstep_keep_output(&ticket, nullptr, outputs.size(), source);
  const Pieces pieces(outputs);
  lockstep_keep_output(&ticket, pieces.data(), outputs.size(), source);
}

void keep_nothing(const lockstep_ticket& ticket) {
  lockstep_keep_input(&ticket, nullptr, 0);
  lockstep_keep_output(&ticket, nullptr, 0, -1);
}

void keep_failure(const lockstep_ticket& ticket, const char* what) {
  lockstep_keep_failure(&ticket, what, length_without_stack(what));
}

Served serve_outputs(const lockstep_ticket& ticket, const char* name,
                     const std::vector<at::Tensor>& outputs) {
  std::vector<at::Tensor> filled;
  std::vector<lockstep_room> rooms;
  for (const at::Tensor& tensor : outputs) {
    const bool is_direct = is_readable(tensor) && tensor.is_contiguous();
    filled.push_back(is_direct ? tensor : room_for(tensor));
    rooms.push_back({filled.back().data_ptr(), bytes_of(tensor)});
  }
  lockstep_served told{};
  told.size = sizeof told;
  Served served{lockstep_serve_call(&ticket, rooms.data(), rooms.size(), &told), told.source, ""};
  if (served.status == LOCKSTEP_SERVE_FAILURE) {
    served.error.assign(told.error, told.error_bytes);
  } else if (served.status != LOCKSTEP_SERVED) {
    served.error = why_not(served.status, name, ticket, told.step);
  }
  if (served.status != LOCKSTEP_SERVED) return served;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!filled[i].is_same(outputs[i])) outputs[i].copy_(filled[i], /*non_blocking=*/true);
  }
  return served;
}

}  // namespace lockstep::pytorch
