#include "executor_hooks.h"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <tensorflow/core/common_runtime/base_collective_executor.h>
#include <tensorflow/core/framework/op_kernel.h>

#include "call.h"
#include "groups.h"
#include "kept_tensors.h"
#include "summed_tensors.h"
#include "vtable_slot.h"

// Two words before the first function: the offset to the top, and the type.
extern "C" void* const base_collective_executor_table[] __asm__("_ZTVN10tensorflow22BaseCollectiveExecutorE");

namespace lockstep::tensorflow_adapter {
namespace {

using tensorflow::BaseCollectiveExecutor;
using tensorflow::CollectiveParams;
using tensorflow::StatusCallback;

using Complete = void (*)(BaseCollectiveExecutor*, const tensorflow::DeviceAttributes&, CollectiveParams*,
                          tensorflow::CancellationManager*, StatusCallback);
using Execute = void (*)(BaseCollectiveExecutor*, tensorflow::OpKernelContext*, const CollectiveParams*,
                         const std::string&, StatusCallback);
Complete real_complete = nullptr;
Execute real_execute = nullptr;

// A collective between the two functions, found again by its parameters, which are the same object in both.
class Begun {
 public:
  void put(const CollectiveParams* params, const lockstep_ticket& ticket) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tickets_[params] = ticket;
  }
  std::optional<lockstep_ticket> take(const CollectiveParams* params) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tickets_.find(params);
    if (found == tickets_.end()) return std::nullopt;
    const lockstep_ticket ticket = found->second;
    tickets_.erase(found);
    return ticket;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const CollectiveParams*, lockstep_ticket> tickets_;
};
Begun& begun() {
  static Begun* const all = new Begun;
  return *all;
}

std::optional<lockstep_ticket> try_begin(const CollectiveParams& params, const std::string& device) noexcept {
  try {
    return begin_call(params, device);
  } catch (...) {  // the collective runs all the same, and is not recorded
    return std::nullopt;
  }
}

bool is_replay() {
  return lockstep_payload_mode() == LOCKSTEP_PAYLOAD_SERVES;
}

// Nobody is asked who takes part: the result is on record. Some kernels look whether there are as many
// members as they were told.
void complete_alone(const std::optional<lockstep_ticket>& ticket, const tensorflow::DeviceAttributes& device,
                    CollectiveParams& params, const StatusCallback& done) {
  if (!ticket) return done(not_on_record(params));
  begun().put(&params, *ticket);
  params.group.device_type = tensorflow::DeviceType(device.device_type());
  params.group.members.resize(static_cast<std::size_t>(params.group.group_size));
  for (auto& member : params.group.members) member.device = device;
  done(Status());
}

// With a token among its inputs, TensorFlow runs the collectives of a group one after the other.
constexpr int kInputsWithoutToken = 3;

void complete(BaseCollectiveExecutor* executor, const tensorflow::DeviceAttributes& device,
              CollectiveParams* params, tensorflow::CancellationManager* cancellation, StatusCallback done) {
  if (!lockstep_is_recording()) return real_complete(executor, device, params, cancellation, std::move(done));
  const std::optional<lockstep_ticket> ticket = try_begin(*params, device.name());
  if (is_replay()) return complete_alone(ticket, device, *params, done);
  if (!ticket) return real_complete(executor, device, params, cancellation, std::move(done));
  begun().put(params, *ticket);
  real_complete(executor, device, params, cancellation,
                [params, done = std::move(done)](const Status& status) {
                  if (!status.ok()) {
                    if (const auto ticket = begun().take(params)) end_call(*ticket, status);
                  }
                  done(status);
                });
}

void execute(BaseCollectiveExecutor* executor, tensorflow::OpKernelContext* context,
             const CollectiveParams* params, const std::string& key, StatusCallback done) {
  if (!lockstep_is_recording()) return real_execute(executor, context, params, key, std::move(done));
  std::optional<lockstep_ticket> ticket = begun().take(params);
  if (!ticket) ticket = try_begin(*params, context->device()->name());
  if (!ticket && is_replay()) return done(not_on_record(*params));
  if (!ticket) return real_execute(executor, context, params, key, std::move(done));
  if (context->num_inputs() > kInputsWithoutToken) note_ordered(*params);
  const bool is_kept = lockstep_payload_mode() != LOCKSTEP_PAYLOAD_OFF;
  if (is_kept) keep_input(*ticket, *context, *params);
  const bool is_summed = wants_sums(*context);
  if (is_summed) sum_input(*ticket, *context, *params);
  const StatusCallback end = [ticket = *ticket, context, is_kept, is_summed,
                              done = std::move(done)](const Status& status) {
    if (is_kept) keep_end(ticket, *context, status);
    if (is_summed) sum_output(ticket, *context, status);
    end_call(ticket, status);
    done(status);
  };
  if (is_replay()) return end(serve(*ticket, *context));
  real_execute(executor, context, params, key, end);
}

template <typename Member>
void** entry_at(Member member) {
  void** const functions = const_cast<void**>(base_collective_executor_table) + 2;
  return functions + entry_of(member);
}

constexpr const char* kCannotWrite =
    "the virtual table of TensorFlow's collective executor cannot be written to";

// Both or none.
bool exchange(void* complete_function, void* execute_function) {
  void** const complete_entry = entry_at(&BaseCollectiveExecutor::CompleteParamsAsync);
  void** const execute_entry = entry_at(&BaseCollectiveExecutor::ExecuteAsync);
  void* const before = exchange_entry(complete_entry, complete_function);
  if (before == nullptr) return false;
  if (exchange_entry(execute_entry, execute_function) != nullptr) return true;
  exchange_entry(complete_entry, before);
  return false;
}

}  // namespace

const char* install_hooks() {
  if (real_execute == nullptr) {
    real_complete = reinterpret_cast<Complete>(*entry_at(&BaseCollectiveExecutor::CompleteParamsAsync));
    real_execute = reinterpret_cast<Execute>(*entry_at(&BaseCollectiveExecutor::ExecuteAsync));
  }
  const bool done = exchange(reinterpret_cast<void*>(&complete), reinterpret_cast<void*>(&execute));
  return done ? nullptr : kCannotWrite;
}

const char* remove_hooks() {
  if (real_execute == nullptr) return nullptr;
  const bool done = exchange(reinterpret_cast<void*>(real_complete), reinterpret_cast<void*>(real_execute));
  return done ? nullptr : kCannotWrite;
}

}  // namespace lockstep::tensorflow_adapter
