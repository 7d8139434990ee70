// Three places of Horovod's library lead through here:
//   - the constructor of tensorflow::OpKernel that its kernels call: from then on their attributes are known;
//   - their virtual ComputeAsync: a call begins, and ends when the callback that it is given runs;
//   - the functions by which a kernel fails a step (failed_steps.h).
// Nothing of TensorFlow's C++ objects is looked into: they are passed to its C interface, or back.
#include "tensorflow_hooks.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "calls.h"
#include "failed_steps.h"
#include "kernel_attributes.h"
#include "object_patch.h"
#include "tensorflow_payload.h"
#include "tensorflow_sums.h"

namespace lockstep::adapters::horovod {
namespace {

using Done = std::function<void()>;
using Compute = void (*)(void* kernel, void* context, Done done);
using ComputeNow = void (*)(void* kernel, void* context);
using Construct = void (*)(void* kernel, void* construction);

struct Operation {
  const char* kernel;  // the class, mangled
  std::uint8_t ours;
  bool has_equal_shapes;  // on all ranks
};
constexpr Operation kOperations[] = {
    {"18HorovodAllreduceOp", LOCKSTEP_OPERATION_AllReduce, true},
    {"25HorovodGroupedAllreduceOp", LOCKSTEP_OPERATION_AllReduce, true},
    {"18HorovodAllgatherOp", LOCKSTEP_OPERATION_AllGather, false},
    {"25HorovodGroupedAllgatherOp", LOCKSTEP_OPERATION_AllGather, false},
    {"18HorovodBroadcastOp", LOCKSTEP_OPERATION_Broadcast, true},
    {"17HorovodAlltoallOp", LOCKSTEP_OPERATION_AllToAll, false},
    {"22HorovodReducescatterOp", LOCKSTEP_OPERATION_ReduceScatter, true},
    {"29HorovodGroupedReducescatterOp", LOCKSTEP_OPERATION_ReduceScatter, true},
    {"13HorovodJoinOp", LOCKSTEP_OPERATION_Join, false},
};
// It waits for its own end, and its inputs are variables, which the C interface cannot describe.
constexpr Operation kInPlace = {"25HorovodBroadcastInplaceOpIN5Eigen16ThreadPoolDeviceEE",
                                LOCKSTEP_OPERATION_Broadcast, false};
constexpr std::size_t kMostDescribed = 64;  // more are told as one tensor of all their elements

struct Hooks {
  TensorFlowApi tensorflow;
  const HorovodLibrary* horovod = nullptr;
  KernelTable kernels;
  Construct construct = nullptr;
  Compute compute[std::size(kOperations)] = {};
  ComputeNow compute_in_place = nullptr;
  bool is_watching = false;
};

Hooks& hooks() {
  static auto* const kHooks = new Hooks;  // in use until the very end of the process
  return *kHooks;
}

void told_construct(void* kernel, void* construction) {
  Hooks& all = hooks();
  all.construct(kernel, construction);
  all.kernels.keep(kernel, read_attributes(all.tensorflow, construction));
}

class Inputs {
 public:
  Inputs(const TensorFlowApi& tensorflow, void* context) {
    const int count = tensorflow.input_count(context);
    TensorFlowApi::Status* status = tensorflow.new_status();
    for (int at = 0; at < count; ++at) {
      TensorFlowApi::Tensor* tensor = nullptr;
      tensorflow.input(context, at, &tensor, status);
      if (tensorflow.code_of(status) != 0 || tensor == nullptr) break;
      add(tensorflow, *tensor);
      tensorflow.delete_tensor(tensor);
    }
    tensorflow.delete_status(status);
  }

  std::uint8_t data_type() const { return types_.empty() ? std::uint8_t{0} : types_.front(); }
  std::uint64_t bytes() const { return bytes_; }

  std::uint32_t intern() const {
    std::vector<lockstep_tensor_facts> facts;
    for (std::size_t at = 0; at < types_.size() && types_.size() <= kMostDescribed; ++at) {
      facts.push_back({types_[at], static_cast<std::uint32_t>(shapes_[at].size()), shapes_[at].data()});
    }
    if (types_.size() > kMostDescribed) facts.push_back({types_.front(), 1, &elements_});
    return facts.empty() ? 0
                         : lockstep_intern_tensors(facts.data(), static_cast<std::uint16_t>(facts.size()), 0);
  }

 private:
  void add(const TensorFlowApi& tensorflow, const TensorFlowApi::Tensor& tensor) {
    std::vector<std::int64_t> shape;
    std::int64_t elements = 1;
    for (int at = 0; at < tensorflow.dimension_count(&tensor); ++at) {
      shape.push_back(tensorflow.dimension(&tensor, at));
      elements *= shape.back();
    }
    types_.push_back(data_type_of(tensorflow.type_of(&tensor)));
    shapes_.push_back(std::move(shape));
    elements_ += elements;
    bytes_ += tensorflow.byte_size(&tensor);
  }

  std::vector<std::uint8_t> types_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::int64_t elements_ = 0;
  std::uint64_t bytes_ = 0;
};

// As Horovod names the tensor: the node, without its scopes when it was asked to ignore them.
std::string tensor_name(const TensorFlowApi& tensorflow, void* context, const KernelAttributes& attributes) {
  const TensorFlowApi::Text text = tensorflow.name_of(context);
  std::string name(text.data, text.length);
  const std::size_t slash = name.rfind('/');
  if (attributes.ignores_name_scope && slash != std::string::npos) name.erase(0, slash + 1);
  return name;
}

void begin(const Operation& operation, const void* kernel, void* context, lockstep_ticket& ticket) {
  Hooks& all = hooks();
  KernelAttributes attributes;
  if (!all.kernels.find(kernel, attributes)) return;  // made before we came: its process set is not known
  lockstep_call_facts facts{};
  facts.operation = operation.ours;
  facts.peer = attributes.root_rank;
  if (attributes.reduce_op >= 0) facts.reduce_op = all.horovod->reduce_op(attributes.reduce_op);
  if (&operation != &kInPlace) {
    const Inputs inputs(all.tensorflow, context);
    facts.data_type = inputs.data_type();
    if (operation.has_equal_shapes) {
      facts.payload_bytes = inputs.bytes();
      facts.tensors = inputs.intern();
    }
  }
  const std::string name = tensor_name(all.tensorflow, context, attributes);
  begin_call(*all.horovod, attributes.process_set, name.c_str(), facts, ticket);
}

void finish(const lockstep_ticket& ticket, const void* context) {
  if (is_failed(context)) {
    mark_call(ticket, LOCKSTEP_DONE_FAILED, words_of_failure());
  } else {
    mark_call(ticket, LOCKSTEP_DONE_COMPLETED, 0);
  }
}

bool keeps_payload() {
  return lockstep_payload_mode() != LOCKSTEP_PAYLOAD_OFF && hooks().tensorflow.has_outputs;
}

// What others than its root bring to a broadcast is room.
bool gives_inputs(const Operation& operation, const void* kernel) {
  KernelAttributes attributes;
  if (operation.ours != LOCKSTEP_OPERATION_Broadcast || !hooks().kernels.find(kernel, attributes))
    return true;
  return attributes.root_rank == hooks().horovod->rank();
}

void keep_end(const lockstep_ticket& ticket, void* context) {
  if (is_failed(context)) {
    keep_failure(ticket);
  } else {
    keep_outputs(hooks().tensorflow, context, ticket);
  }
}

void serve(const lockstep_ticket& ticket, void* context) {
  if (serve_outputs(hooks().tensorflow, context, ticket)) {
    keep_outputs(hooks().tensorflow, context, ticket);
    mark_call(ticket, LOCKSTEP_DONE_COMPLETED, 0);
  } else {
    mark_call(ticket, LOCKSTEP_DONE_FAILED, 0);
  }
}

template <std::size_t at>
void told_compute(void* kernel, void* context, Done done) {
  const Compute compute = hooks().compute[at];
  lockstep_ticket ticket{};
  if (lockstep_is_recording() != 0) begin(kOperations[at], kernel, context, ticket);
  if (ticket.communicator == 0) return compute(kernel, context, std::move(done));
  const bool is_kept = keeps_payload();
  if (is_kept) {
    keep_inputs(hooks().tensorflow, context, ticket, gives_inputs(kOperations[at], kernel));
  }
  if (is_kept && lockstep_payload_mode() == LOCKSTEP_PAYLOAD_SERVES) {
    serve(ticket, context);
    return done();
  }
  const bool is_summed = takes_sums(hooks().tensorflow);
  if (is_summed && gives_inputs(kOperations[at], kernel)) sum_inputs(hooks().tensorflow, context, ticket);
  compute(kernel, context, [ticket, context, is_kept, is_summed, done = std::move(done)] {
    if (is_kept) keep_end(ticket, context);
    if (is_summed && !is_failed(context)) sum_outputs(hooks().tensorflow, context, ticket);
    finish(ticket, context);
    done();
  });
}

void told_compute_in_place(void* kernel, void* context) {
  lockstep_ticket ticket{};
  if (lockstep_is_recording() != 0) begin(kInPlace, kernel, context, ticket);
  if (lockstep_payload_mode() == LOCKSTEP_PAYLOAD_SERVES) return refuse_replay(hooks().tensorflow, context);
  hooks().compute_in_place(kernel, context);
  finish(ticket, context);
}

void** place_of(const HorovodLibrary& horovod, const Operation& operation, const char* method) {
  const std::string kernel = std::string("N7horovod10tensorflow") + operation.kernel;
  auto** table = static_cast<void**>(horovod.find(("_ZTV" + kernel + "E").c_str()));
  return virtual_function(table, horovod.find(("_Z" + kernel + method).c_str()));
}

template <std::size_t at>
bool watch_kernel(const HorovodLibrary& horovod) {
  void** place =
      place_of(horovod, kOperations[at], "12ComputeAsyncEPN10tensorflow15OpKernelContextESt8functionIFvvEE");
  if (place == nullptr) return false;
  hooks().compute[at] = reinterpret_cast<Compute>(*place);
  return replace(place, reinterpret_cast<void*>(&told_compute<at>));
}

void watch_in_place_kernel(const HorovodLibrary& horovod) {
  void** place = place_of(horovod, kInPlace, "7ComputeEPN10tensorflow15OpKernelContextE");
  if (place == nullptr) return;
  hooks().compute_in_place = reinterpret_cast<ComputeNow>(*place);
  replace(place, reinterpret_cast<void*>(&told_compute_in_place));
}

template <std::size_t... at>
std::size_t watch_kernels(const HorovodLibrary& horovod, std::index_sequence<at...>) {
  return (std::size_t{0} + ... + (watch_kernel<at>(horovod) ? 1 : 0));
}

}  // namespace

const char* watch_tensorflow(void* handle, const HorovodLibrary& horovod) {
  Hooks& all = hooks();
  if (all.is_watching) return nullptr;
  if (!all.tensorflow.find(handle))
    return "this TensorFlow has not the C interface for kernels that is needed";
  void** constructor = imported_function(handle, "_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE");
  if (constructor == nullptr) return "Horovod's kernels are not made as they are known to be";
  all.horovod = &horovod;
  all.construct = reinterpret_cast<Construct>(*constructor);
  if (!replace(constructor, reinterpret_cast<void*>(&told_construct))) return "its memory cannot be written";
  watch_failures(handle);
  all.is_watching = true;
  const std::size_t seen = watch_kernels(horovod, std::make_index_sequence<std::size(kOperations)>());
  watch_in_place_kernel(horovod);
  return seen > 0 ? nullptr : "Horovod's kernels have other names than those that are known";
}

}  // namespace lockstep::adapters::horovod
