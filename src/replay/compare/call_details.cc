#include "replay/compare/call_details.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/recorder.h"

#include "record/definitions.h"
#include "record/reader.h"
#include "replay/compare/tensor_names.h"

namespace lockstep::replay {
namespace {

bool is_pair(std::uint8_t operation) {
  return operation == LOCKSTEP_OPERATION_Send || operation == LOCKSTEP_OPERATION_Receive;
}

bool is_it(const lockstep_call& made, const record::PayloadCall& call) {
  if (made.sequence != call.key.sequence || made.operation != call.operation) return false;
  return !is_pair(call.operation) || made.peer == call.peer;
}

std::vector<record::TensorShape> shapes_of(const record::TensorsDefinition* tensors) {
  if (tensors == nullptr) return {};
  return tensors->inputs.empty() ? tensors->outputs : tensors->inputs;
}

std::uint64_t elements_of(const std::vector<record::TensorShape>& shapes) {
  std::uint64_t sum = 0;
  for (const record::TensorShape& shape : shapes) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : shape.dimensions) elements *= static_cast<std::uint64_t>(size);
    sum += elements;
  }
  return sum;
}

std::string in_words(const std::vector<record::TensorShape>& shapes) {
  std::vector<std::string> words;
  for (const record::TensorShape& shape : shapes) {
    words.push_back(
        fmt::format("{}[{}]", lockstep_data_type_word(shape.data_type), fmt::join(shape.dimensions, ",")));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::optional<CallDetails> find_call_details(const std::filesystem::path& record_file,
                                             const std::string& communicator,
                                             const record::PayloadCall& call) {
  auto definitions = record::Definitions::read(record_file);
  auto reader = record::Reader::open(record_file, record::ChunkFilter::kEvents);
  if (!definitions.ok() || !reader.ok()) return std::nullopt;
  const record::Definitions& known = definitions.value();
  while (const record::RecordView* view = reader.value().next()) {
    const auto* made = view->type == LOCKSTEP_RECORD_CALL ? view->as<lockstep_call>() : nullptr;
    if (made == nullptr || !is_it(*made, call)) continue;
    const record::CommunicatorDefinition* where = known.communicator(made->communicator);
    if (where == nullptr || known.string(where->name) != communicator) continue;
    const std::vector<record::TensorShape> shapes = shapes_of(known.tensors(made->tensors));
    CallDetails details{.name = std::string(known.string(made->name)),
                        .tensors = in_words(shapes),
                        .stack = {},
                        .elements = elements_of(shapes)};
    if (details.elements != 0 && made->payload_bytes % details.elements == 0)
      details.element_bytes = made->payload_bytes / details.elements;
    details.parameters = names_by_size(parameters_in(attributes_in(record_file)), details.elements);
    if (const auto* frames = known.stack(made->stack)) {
      for (const lockstep_frame& frame : *frames) {
        details.stack.push_back(
            {std::string(known.string(frame.function)), std::string(known.string(frame.file)), frame.line});
      }
    }
    return details;
  }
  return std::nullopt;
}

}  // namespace lockstep::replay
