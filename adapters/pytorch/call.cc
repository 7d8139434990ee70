#include "call.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "device_capture.h"
#include "device_runtime.h"
#include "device_sum.h"
#include "device_work.h"
#include "groups.h"
#include "kept_tensors.h"
#include "python_stack.h"
#include "served_work.h"

namespace lockstep::pytorch {
namespace {

std::uint8_t reduce_op_of(const c10::IValue& argument) {
  switch (argument.toCustomClass<c10d::ReduceOp>()->op_) {
    case c10d::ReduceOp::SUM:
      return LOCKSTEP_REDUCE_OP_Sum;
    case c10d::ReduceOp::AVG:
      return LOCKSTEP_REDUCE_OP_Average;
    case c10d::ReduceOp::PRODUCT:
      return LOCKSTEP_REDUCE_OP_Product;
    case c10d::ReduceOp::MIN:
      return LOCKSTEP_REDUCE_OP_Minimum;
    case c10d::ReduceOp::MAX:
      return LOCKSTEP_REDUCE_OP_Maximum;
    case c10d::ReduceOp::BAND:
      return LOCKSTEP_REDUCE_OP_BitAnd;
    case c10d::ReduceOp::BOR:
      return LOCKSTEP_REDUCE_OP_BitOr;
    case c10d::ReduceOp::BXOR:
      return LOCKSTEP_REDUCE_OP_BitXor;
    case c10d::ReduceOp::PREMUL_SUM:
      return LOCKSTEP_REDUCE_OP_PreMulSum;
    default:
      return LOCKSTEP_REDUCE_OP_Other;
  }
}

// A receive may be posted and left open: nobody waits in it before its Work is waited for.
bool is_message(const Signature& signature) {
  const Partner partner = signature.meaning.partner;
  return partner == Partner::kPeerAndTag || partner == Partner::kTag;
}

// Behind the group: perhaps a reduction, then root or peer, then the tag, which is returned.
std::int64_t read_partner(const Signature& signature, const c10::IValue* arguments,
                          lockstep_call_facts& facts) {
  std::uint32_t at = signature.group + 1;
  if (at < signature.argument_count && arguments[at].isObject()) {
    facts.reduce_op = reduce_op_of(arguments[at++]);
  }
  const Partner partner = signature.meaning.partner;
  if (partner == Partner::kRoot || partner == Partner::kPeerAndTag) {
    facts.peer = static_cast<std::int32_t>(arguments[at++].toInt());
  }
  return is_message(signature) ? arguments[at].toInt() : 0;
}

// Devices ignore tags; on the CPU messages of another tag go another way.
void choose_channel(const c10d::ProcessGroup& group, std::int64_t tag, lockstep_call_facts& facts) {
  const std::uint32_t channel = channel_of(group, tag);
  if (channel != 0) {
    facts.communicator = channel;
  } else {
    facts.peer = -1;
  }
}

// What the others bring to a broadcast is room, which nobody may have written to yet.
bool gives_inputs(const c10d::ProcessGroup& group, const lockstep_call_facts& facts) {
  return facts.operation != LOCKSTEP_OPERATION_Broadcast || facts.peer == group.getRank();
}

bool is_async(const Signature& signature, const c10::IValue* arguments) {
  return signature.async_argument >= 0 && arguments[signature.async_argument].toBool();
}

}  // namespace

Call::Call(const Signature& signature, const c10::IValue* arguments) {
  const auto group = arguments[signature.group].toCustomClass<c10d::ProcessGroup>();
  group_ = group.get();
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = communicator_of(*group);
  facts.operation = signature.meaning.operation;
  facts.peer = -1;
  facts.name = lockstep_intern_string(signature.name, std::strlen(signature.name));
  const std::int64_t tag = read_partner(signature, arguments, facts);
  TensorList tensors(signature.meaning.tensors, arguments, signature.group);
  tensors.describe(facts);
  if (!gives_inputs(*group, facts)) tensors.forget_inputs();
  device_ = tensors.device();
  if (tag != 0 && device_.is_cpu()) choose_channel(*group, tag, facts);
  if (is_async(signature, arguments)) facts.flags |= LOCKSTEP_CALL_ASYNC;
  is_posted_ = is_message(signature) && device_.is_cpu();
  if (is_posted_) facts.flags |= LOCKSTEP_CALL_POSTED;
  const DeviceStream stream = current_stream(device_);
  is_captured_ = stream.is_capturing;
  if (is_captured_) facts.flags |= LOCKSTEP_CALL_CAPTURED;
  facts.stream = stream.number;
  if (lockstep_wants_stack()) facts.stack = intern_python_stack();
  lockstep_begin_call(&facts, &ticket_);
  has_checksums_ = ticket_.communicator != 0 && !is_captured_ && lockstep_wants_checksums() &&
                   (tensors.can_checksum() || can_sum_on(device_));
  if (has_checksums_) note_inputs(tensors);
  has_payload_ =
      ticket_.communicator != 0 && !is_captured_ && lockstep_payload_mode() != LOCKSTEP_PAYLOAD_OFF;
  if (has_payload_) keep_inputs(ticket_, tensors.inputs());
  if (is_captured_) keep_nothing(ticket_);
  if (has_checksums_ || has_payload_) outputs_ = tensors.outputs();
}

void Call::note_inputs(const TensorList& tensors) {
  if (!tensors.has_inputs()) return;
  if (!device_.is_cpu()) return capture_input_checksum(ticket_, tensors.inputs());
  lockstep_checksum_facts facts{};
  facts.size = sizeof facts;
  facts.has_input = 1;
  facts.input = tensors.checksum_inputs();
  lockstep_note_checksums(&ticket_, &facts);
}

void Call::follow(const Signature& signature, c10::IValue* results) noexcept {
  try {
    if (ticket_.communicator == 0 || is_captured_) return;
    c10::IValue* const work = signature.return_count == 0 ? nullptr : &results[signature.return_count - 1];
    if (device_.is_cpu()) {
      follow_cpu(work);
      return;
    }
    if (auto told = follow_device(device_call(), group_, work_in(work))) {
      *work = c10::IValue(std::move(told));
    }
  } catch (...) {  // the job goes on; this call stays without an end
  }
}

DeviceCall Call::device_call() {
  DeviceCall call{ticket_, device_};
  if (has_payload_ && !can_capture_on(device_)) {
    keep_outputs(ticket_, outputs_, -1);  // noted as not kept
  } else if (has_payload_ || has_checksums_) {
    const DeviceOutputs::Wanted wanted{has_payload_, has_checksums_};
    call.outputs = std::make_shared<DeviceOutputs>(ticket_, device_, std::move(outputs_), wanted);
  }
  return call;
}

void Call::follow_cpu(c10::IValue* work) {
  Progress told = progress();
  const c10::intrusive_ptr<c10d::Work> given = work_in(work);
  if (given == nullptr) {
    told.complete();
  } else if (has_checksums_ || has_payload_ || !tell_by_future(*given, told)) {
    *work = c10::IValue(watched(given, std::move(told)));
  }
}

Progress Call::progress() {
  return {ticket_, std::move(outputs_), is_posted_, has_checksums_, has_payload_};
}

void Call::fail(const char* what) noexcept {
  Progress{ticket_, {}, false, false, has_payload_}.fail(what);
}

void Call::serve(const Signature& signature, torch::jit::Stack& stack) {
  if (is_captured_) {
    throw std::runtime_error(std::string("lockstep replay: the recording ends here: ") + signature.name +
                             " is captured into a graph, and what its launches give back is not seen");
  }
  Served served = serve_outputs(ticket_, signature.name, outputs_);
  const bool is_open_send =
      served.status == LOCKSTEP_SERVE_OPEN && ticket_.operation == LOCKSTEP_OPERATION_Send;
  if (is_open_send) served.error.clear();  // nothing comes back from it
  const std::vector<at::Tensor> outputs = outputs_;
  Progress told = progress();
  if (served.error.empty()) {
    told.complete(served.source);
  } else {
    told.fail(served.error.c_str());
    const bool is_on_record = served.status == LOCKSTEP_SERVE_FAILURE || served.status == LOCKSTEP_SERVE_OPEN;
    if (!is_on_record || signature.return_count == 0) throw std::runtime_error(served.error);
  }
  const c10::IValue first =
      signature.argument_count == 0 ? c10::IValue() : *(stack.end() - signature.argument_count);
  torch::jit::drop(stack, signature.argument_count);
  for (std::uint32_t i = 0; i + 1 < signature.return_count; ++i) stack.push_back(first);
  if (signature.return_count != 0) stack.emplace_back(served_work(outputs, served.source, served.error));
}

}  // namespace lockstep::pytorch
