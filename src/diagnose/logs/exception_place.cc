#include "diagnose/logs/exception_place.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/text_fields.h"
#include "base/text_search/regex.h"

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

namespace {

using model::Leaf;

bool is_pythons(const Frame& frame) {
  static const base::Regex standard =
      base::Regex::of_our_own(R"(^<frozen |[/\\]lib(64)?[/\\]python\d[\d.]*[/\\]|\\lib\\)");
  static const base::Regex installed = base::Regex::of_our_own(R"((site|dist)-packages)");
  return standard.found_in(frame.path) && !installed.found_in(frame.path);
}

bool is_librarys(const Frame& frame) {
  static const base::Regex library = base::Regex::of_our_own(
      R"((site|dist)-packages|\.egg[/\\])"
      R"(|(^|[/\\])(torch|torchvision|torchdata|torch_xla|tensorflow|tensorflow_core|keras|horovod|deepspeed|megatron)[/\\])"
      R"(|(^|[/\\])(accelerate|transformers|datasets|lightning|pytorch_lightning|fairseq|fairscale|ray|jax|jaxlib|flax)[/\\])"
      R"(|(^|[/\\])(mmcv|mmengine|detectron2|colossalai|apex|nemo|xformers|trl|peft|vllm|pyspark|mpi4py|bigdl|elephas)[/\\])");
  return library.found_in(frame.path);
}

// nullptr where every frame is Python's own.
const Frame* innermost_outside_python(const RaisedException& exception) {
  const auto found = std::find_if_not(exception.frames.rbegin(), exception.frames.rend(), is_pythons);
  return found == exception.frames.rend() ? nullptr : &*found;
}

std::string_view short_kind(const RaisedException& exception) {
  return std::string_view(exception.kind).substr(exception.kind.rfind('.') + 1);
}

// What is written in C++ raises these kinds as well, and then the frame that called it is the last.
bool may_come_from_native_code(const RaisedException& exception) {
  constexpr std::array<std::string_view, 4> kKinds = {"RuntimeError", "OSError", "SystemError", "Exception"};
  return std::ranges::find(kKinds, short_kind(exception)) != kKinds.end();
}

bool loads_data(const RaisedException& exception) {
  static const base::Regex path = base::Regex::of_our_own(
      R"(torch[/\\]utils[/\\]data[/\\]|data_?(set|loader|pipe|module)|(^|[/\\])data[/\\]|(^|[/\\])(data|loader|input|collat\w*)\.py$)");
  static const base::Regex function = base::Regex::of_our_own(
      R"(__getitems?__|collate|(read|load|parse|decode|fetch)_(\w+_)?(samples?|records?|batch|data|dataset|examples?|images?|jsonl?|shards?)$)");
  static const base::Regex kind = base::Regex::of_our_own(
      R"((JSONDecode|UnicodeDecode|Unpickling|UnidentifiedImage)Error$|BadZipFile$|BadGzipFile$)");
  const auto is_loader = [&](const Frame& frame) {
    return path.found_in(frame.path) || function.found_in(frame.function);
  };
  return std::ranges::any_of(exception.frames, is_loader) || kind.found_in(exception.kind);
}

}  // namespace

bool tells_of_something_else(const RaisedException& exception) {
  static const base::Regex other_kind = base::Regex::of_our_own(
      R"(^(torch|tensorflow|jax|jaxlib|ray|horovod|deepspeed|grpc|socket|subprocess|multiprocessing)\.)"
      R"(|(^|\.)(KeyboardInterrupt|SystemExit|GeneratorExit|ImportError|ModuleNotFoundError|SyntaxError|IndentationError)$)"
      R"(|(Connection|Pipe|Timeout|OutOfMemory|CalledProcess|ChildFailed|Backend|Network|Store|Internal|Unavailable)\w*Error$)"
      R"(|gaierror|Timeout|Raised|Exited|Signal|Interrupt|Cancelled|EOFError|TabError|RayTask|RayActor|XlaRuntime|JaxRuntime)");
  return other_kind.found_in(exception.kind);
}

bool speaks_of_shapes(const RaisedException& exception) {
  static const base::Regex words = base::Regex::of_our_own(
      R"(\bshapes?\b|torch\.Size|\bsize mismatch\b|\bdim(ension)?s? (mismatch|do not|must))");
  return words.found_in(exception.message);
}

bool is_the_scripts_own(const RaisedException& exception) {
  const Frame* innermost = innermost_outside_python(exception);
  if (innermost == nullptr || is_librarys(*innermost) || tells_of_something_else(exception)) return false;
  return !may_come_from_native_code(exception) || innermost->source.starts_with("raise ");
}

model::Leaf leaf_of(const RaisedException& exception) {
  constexpr std::array<std::pair<std::string_view, Leaf>, 8> kByKind = {{
      {"AttributeError", Leaf::kRunAttr},
      {"FileNotFoundError", Leaf::kRunPath},
      {"NotADirectoryError", Leaf::kRunPath},
      {"IsADirectoryError", Leaf::kRunPath},
      {"PermissionError", Leaf::kRunPath},
      {"NotImplementedError", Leaf::kRunNotimpl},
      {"MemoryError", Leaf::kRunMem},
      {"StopIteration", Leaf::kPrepIter},
  }};
  const auto known =
      std::ranges::find(kByKind, short_kind(exception), [](const auto& one) { return one.first; });
  if (known != kByKind.end()) return known->second;
  if (loads_data(exception)) return Leaf::kPrepData;
  return speaks_of_shapes(exception) ? Leaf::kRunTensor : Leaf::kRunOther;
}

std::string place_of(const RaisedException& exception) {
  const Frame* innermost = innermost_outside_python(exception);
  if (innermost == nullptr) return {};
  return innermost->path.substr(innermost->path.find_last_of("/\\") + 1) + ":" + innermost->line;
}

std::optional<model::CodePlace> code_place_of(const RaisedException& exception) {
  const auto own = std::find_if(exception.frames.rbegin(), exception.frames.rend(), [](const Frame& frame) {
    return !is_pythons(frame) && !is_librarys(frame) && !frame.path.starts_with('<');
  });
  if (own == exception.frames.rend()) return std::nullopt;
  const auto line = base::number_in<std::int64_t>(own->line);
  if (!line) return std::nullopt;
  return model::CodePlace{.file = own->path.substr(own->path.find_last_of("/\\") + 1),
                          .line = *line,
                          .function = own->function,
                          .ranks = {}};
}

}  // namespace lockstep::logs
