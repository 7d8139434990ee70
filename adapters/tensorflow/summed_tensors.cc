#include "summed_tensors.h"

#include <tensorflow/core/framework/device_base.h>
#include <tensorflow/core/framework/op_kernel.h>

#include "tensor_piece.h"

namespace lockstep::tensorflow_adapter {
namespace {

lockstep_checksum_facts no_sums() {
  lockstep_checksum_facts facts{};
  facts.size = sizeof facts;
  return facts;
}

}  // namespace

bool wants_sums(const tensorflow::OpKernelContext& context) {
  return lockstep_wants_checksums() != 0 && context.device()->attributes().device_type() == "CPU";
}

void sum_input(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
               const tensorflow::CollectiveParams& params) noexcept {
  if (only_receives(params)) return;
  const lockstep_piece given = piece_of(context.input(0));
  if (given.data == nullptr) return;
  lockstep_checksum_facts facts = no_sums();
  facts.has_input = 1;
  facts.input = lockstep_checksum_pieces(&given, 1);
  lockstep_note_checksums(&ticket, &facts);
}

void sum_output(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
                const Status& status) noexcept {
  const tensorflow::Tensor* const output = status.ok() ? context.mutable_output(0) : nullptr;
  const lockstep_piece given = output == nullptr ? lockstep_piece{nullptr, 0} : piece_of(*output);
  if (given.data == nullptr) return;
  lockstep_checksum_facts facts = no_sums();
  facts.has_output = 1;
  facts.output = lockstep_checksum_pieces(&given, 1);
  lockstep_note_checksums(&ticket, &facts);
}

}  // namespace lockstep::tensorflow_adapter
