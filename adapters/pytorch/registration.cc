#include "registration.h"

#include <memory>
#include <optional>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/library.h>

#include "call.h"
#include "kept_tensors.h"

namespace lockstep::pytorch {
namespace {

struct Registered {
  const c10::FunctionSchema* schema;
  Signature signature;
};

// Filled before the first kernel runs, then only read.
std::vector<Registered>& registered() {
  static std::vector<Registered>* const all = new std::vector<Registered>;
  return *all;
}

const Signature* signature_of(const c10::OperatorHandle& op) {
  const c10::FunctionSchema* schema = &op.schema();
  for (const Registered& known : registered()) {
    if (known.schema == schema) return &known.signature;
  }
  return nullptr;
}

std::optional<Call> begin(const Signature& signature, const torch::jit::Stack& stack) noexcept {
  try {
    return std::optional<Call>(std::in_place, signature, &*(stack.end() - signature.argument_count));
  } catch (...) {  // the operation is issued all the same, and not recorded
    return std::nullopt;
  }
}

// The rest of the way must use this call's own keys without BackendSelect. Excluding the key for the thread
// looks the same, and leaks into Gloo's threads, whose tensor factories need it.
void issue(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  op.redispatchBoxed(
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::BackendSelect), stack);
}

void record_and_issue(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const Signature* const signature = lockstep_is_recording() ? signature_of(op) : nullptr;
  std::optional<Call> call;
  if (signature != nullptr) call = begin(*signature, *stack);
  if (!call.has_value()) return issue(op, keys, stack);
  if (payload_serves()) return call->serve(*signature, *stack);
  try {
    issue(op, keys, stack);
  } catch (const std::exception& error) {
    call->fail(error.what());
    throw;
  }
  call->follow(*signature, stack->data() + (stack->size() - signature->return_count));
}

bool is_group(const c10::Argument& argument) {
  const auto type = argument.type()->cast<c10::ClassType>();
  return type != nullptr && type->name().has_value() && type->name()->name() == "ProcessGroup";
}

std::optional<Signature> read_signature(const c10::FunctionSchema& schema) {
  Signature signature{};
  const std::string name = schema.name().substr(schema.name().find("::") + 2);
  signature.meaning = meaning_of(name.c_str());
  signature.argument_count = static_cast<std::uint32_t>(schema.arguments().size());
  signature.return_count = static_cast<std::uint32_t>(schema.returns().size());
  signature.async_argument = -1;
  signature.name = (new std::string("c10d." + name))->c_str();  // for as long as the process lives
  bool has_group = false;
  for (std::uint32_t at = 0; at < signature.argument_count; ++at) {
    const c10::Argument& argument = schema.arguments()[at];
    if (!has_group && is_group(argument)) {
      signature.group = at;
      has_group = true;
    }
    if (argument.name() == "async_op" || argument.name() == "asyncOp") {
      signature.async_argument = static_cast<std::int32_t>(at);
    }
  }
  return has_group ? std::optional<Signature>(signature) : std::nullopt;
}

std::vector<std::string> find_operations() {
  std::vector<std::string> names;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("c10d::", 0) != 0) continue;
    const auto op = dispatcher.findSchema(name);
    if (!op.has_value()) continue;
    if (const auto signature = read_signature(op->schema())) {
      registered().push_back({&op->schema(), *signature});
      names.push_back(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
    }
  }
  return names;
}

std::unique_ptr<torch::Library>& registration() {
  static auto* const held = new std::unique_ptr<torch::Library>;
  return *held;
}

}  // namespace

const std::vector<std::string>& seen_operations() {
  static const auto* const names = new std::vector<std::string>(find_operations());
  return *names;
}

void register_kernels() {
  const std::vector<std::string>& names = seen_operations();
  registration() = std::make_unique<torch::Library>(torch::Library::IMPL, "c10d",
                                                    c10::DispatchKey::BackendSelect, __FILE__, __LINE__);
  for (const std::string& name : names) {
    registration()->impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&record_and_issue>());
  }
}

void unregister_kernels() {
  registration().reset();
}

}  // namespace lockstep::pytorch
