#include "diagnose/logs/script_place.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text_search/regex.h"

namespace lockstep::logs {
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

}  // namespace lockstep::logs
