#include "diagnose/logs/library_place.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text_search/regex.h"
#include "diagnose/logs/script_place.h"

namespace lockstep::logs {
namespace {

using model::Leaf;

struct Part {
  std::string_view regex;  // over "path function"; the first that fits counts
  Leaf leaf;
};

constexpr std::array<Part, 26> kParts = {{
    {R"(torch/utils/data/distributed\.py)", Leaf::kPrepShard},
    {R"(torch/distributed/(elastic/|rendezvous|launch|run\.py|device_mesh))", Leaf::kSetupFail},
    {R"(torch/distributed/\S* (init_process_group|_?new_(process_)?group|_store_based_barrier))",
     Leaf::kSetupFail},
    {R"(torch/distributed/checkpoint/\S*( |_)\w*load)", Leaf::kPrepModel},
    {R"(torch/distributed/checkpoint/)", Leaf::kRunCkpt},
    {R"(torch/distributed/(fsdp|_composable)/\S*( \w*)?(init|wrap|state_dict_type|load))", Leaf::kPrepModel},
    {R"(torch/distributed/(pipelining/schedules|distributed_c10d|_functional_collectives))", Leaf::kRunComm},
    {R"(torch/distributed/(pipelining/microbatch|tensor/|_tensor/|_shard/))", Leaf::kRunTensor},
    {R"(deepspeed/(runtime/pipe/module|module_inject/))", Leaf::kPrepModel},
    {R"(deepspeed/(comm/|utils/groups|launcher/))", Leaf::kSetupFail},
    {R"(deepspeed/runtime/config\.py|deepspeed/runtime/engine\.py (__init__|_configure|_do_\w*check))",
     Leaf::kPrepOther},
    {R"(deepspeed/runtime/engine\.py \w*load)", Leaf::kPrepModel},
    {R"(deepspeed/runtime/engine\.py \w*save)", Leaf::kRunCkpt},
    {R"(deepspeed/runtime/engine\.py)", Leaf::kRunComm},
    {R"(deepspeed/runtime/zero/)", Leaf::kRunComm},
    {R"(grad_scaler\.py |torch/(distributed/)?optim/)", Leaf::kRunGraph},
    {R"(/datasets/(builder|load|arrow_\w+|iterable_dataset|packaged_modules/))", Leaf::kPrepData},
    {R"(torch/utils/data/|/data_adapters?/|tensorflow\S*/python/data/)", Leaf::kPrepData},
    {R"((keras|tensorflow)\S*/sav(ing|ed_model)/\S* \w*load|torch/serialization\.py _?load)",
     Leaf::kPrepModel},
    {R"((keras|tensorflow)\S*/sav(ing|ed_model)/|torch/serialization\.py|deepspeed\S*checkpoint)",
     Leaf::kRunCkpt},
    {R"(horovod/(common/basics|run/|runner/|spark/(driver|task|util|runner|gloo|mpi)|ray/))",
     Leaf::kSetupFail},
    {R"(tensorflow\S*/distribute/(cluster_resolver/|multi_worker_util|distribute_coordinator))",
     Leaf::kSetupFail},
    {R"(tensorflow\S*/distribute/(mirrored_run|values|ps_values|distribute_lib|cross_device_ops))",
     Leaf::kRunGraph},
    {R"(lightning\S*/(environments|connectors)/|accelerate/state\.py)", Leaf::kSetupFail},
    {R"(megatron\S*/(parallel_state|initialize|arguments)\.py)", Leaf::kSetupFail},
    {R"(megatron\S*/\w*communication\.py)", Leaf::kRunComm},
}};

std::optional<Leaf> leaf_of_part(const Frame& frame) {
  static const auto regexes = [] {
    std::vector<base::Regex> compiled;
    for (const Part& part : kParts) compiled.push_back(base::Regex::of_our_own(part.regex));
    return compiled;
  }();
  std::string place = frame.path + " " + frame.function;
  std::ranges::replace(place, '\\', '/');
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (regexes[i].found_in(place)) return kParts[i].leaf;
  }
  return std::nullopt;
}

// Python itself raises these kinds, in the frame whose code is at fault.
bool is_raised_by_python(const RaisedException& exception) {
  constexpr std::array<std::string_view, 5> kKinds = {"KeyError", "IndexError", "NameError",
                                                      "UnboundLocalError", "ZeroDivisionError"};
  return std::ranges::find(kKinds, exception.kind) != kKinds.end();
}

bool is_raised_there(const RaisedException& exception) {
  const std::string& source = exception.frames.back().source;
  return source.empty() || source.starts_with("raise ") || source.starts_with("assert ") ||
         is_raised_by_python(exception);
}

}  // namespace

std::optional<Leaf> library_place_in(std::span<const RaisedException> raised) {
  for (const RaisedException& exception : raised) {
    if (tells_of_something_else(exception) || !is_raised_there(exception)) continue;
    const auto leaf = leaf_of_part(exception.frames.back());
    if (leaf && exception.kind == "NotImplementedError") return Leaf::kRunNotimpl;
    if (leaf) return speaks_of_shapes(exception) ? Leaf::kRunTensor : *leaf;
  }
  return std::nullopt;
}

}  // namespace lockstep::logs
