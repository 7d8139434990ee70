#include "kept_tensors.h"

#include <string>
#include <type_traits>

#include <tensorflow/core/framework/op_kernel.h>
#include <tensorflow/core/protobuf/error_codes.pb.h>

#include "tensor_piece.h"

namespace lockstep::tensorflow_adapter {
namespace {

std::string words_of(int status, const lockstep_served& served) {
  if (status == LOCKSTEP_SERVE_FAILURE) return {served.error, served.error_bytes};
  return lockstep_serve_reason(status);
}

// Versions differ in what a status is made of.
template <typename Told>
Told failed(const std::string& text) {
  if constexpr (std::is_constructible_v<Told, absl::StatusCode, std::string>) {
    return Told(absl::StatusCode::kFailedPrecondition, text);
  } else {
    return Told(tensorflow::error::FAILED_PRECONDITION, text);
  }
}

}  // namespace

void keep_input(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
                const tensorflow::CollectiveParams& params) {
  const lockstep_piece none{nullptr, 0};
  if (only_receives(params)) return lockstep_keep_input(&ticket, &none, 0);
  const lockstep_piece given = piece_of(context.input(0));
  const bool is_readable = given.data != nullptr || given.bytes == 0;
  lockstep_keep_input(&ticket, is_readable ? &given : nullptr, 1);
}

void keep_end(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context, const Status& status) {
  if (!status.ok()) {
    const std::string text = status.ToString();
    return lockstep_keep_failure(&ticket, text.data(), text.size());
  }
  const tensorflow::Tensor* const output = context.mutable_output(0);
  if (output == nullptr) return lockstep_keep_output(&ticket, nullptr, 1, -1);
  const lockstep_piece given = piece_of(*output);
  const bool is_readable = given.data != nullptr || given.bytes == 0;
  lockstep_keep_output(&ticket, is_readable ? &given : nullptr, 1, -1);
}

Status serve(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context) {
  const tensorflow::Tensor* const output = context.mutable_output(0);
  const lockstep_piece place = output == nullptr ? lockstep_piece{nullptr, 0} : piece_of(*output);
  const lockstep_room room{const_cast<void*>(place.data), place.bytes};
  lockstep_served served{};
  served.size = sizeof served;
  const int status = lockstep_serve_call(&ticket, &room, 1, &served);
  if (status == LOCKSTEP_SERVED) return Status();
  return failed<Status>("lockstep replay: collective " + std::to_string(ticket.sequence) + ": " +
                        words_of(status, served));
}

Status not_on_record(const tensorflow::CollectiveParams& params) {
  return failed<Status>("lockstep replay: " + params.name +
                        " is not on record: it is of a second device, or of ranks that are not known");
}

}  // namespace lockstep::tensorflow_adapter
