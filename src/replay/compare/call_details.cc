#include "replay/compare/call_details.h"

#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/recorder.h"

#include "base/text_fields.h"
#include "record/definitions.h"
#include "record/payload.h"
#include "record/reader.h"

namespace lockstep::replay {

namespace {

void add_lines(std::string_view text, std::vector<NamedTensor>& parameters) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos) continue;
    const auto elements = base::number_in<std::uint64_t>(line.substr(space + 1));
    if (elements) parameters.push_back({std::string(line.substr(0, space)), *elements});
  }
}

}  // namespace

std::vector<NamedTensor> parameters_in(const Attributes& attributes) {
  std::vector<NamedTensor> parameters;
  for (std::size_t part = 0;; ++part) {
    const auto found = attributes.find(fmt::format("parameters {}", part));
    if (found == attributes.end()) return parameters;
    add_lines(found->second, parameters);
  }
}

std::vector<std::string> names_by_size(const std::vector<NamedTensor>& parameters, std::uint64_t elements) {
  std::vector<std::string> names;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < parameters.size(); ++first) {
    std::uint64_t sum = 0;
    for (std::size_t last = first; last < parameters.size() && sum < elements; ++last) {
      sum += parameters[last].elements;
      if (sum != elements) continue;
      if (++runs > 1) return {};
      for (std::size_t i = first; i <= last; ++i) names.push_back(parameters[i].name);
    }
  }
  return names;
}

namespace {

const std::vector<record::PayloadOutput>* outputs_of(const Recorded& recorded,
                                                     const record::PayloadKey& call) {
  const auto found = recorded.rank.results.find(call);
  return found == recorded.rank.results.end() ? nullptr : &found->second.outputs;
}

}  // namespace

ElementCount count_differing(std::span<const std::byte> first, std::span<const std::byte> second,
                             std::size_t width) {
  ElementCount count{.differing = 0, .of = first.size() / width};
  for (std::size_t at = 0; at + width <= first.size(); at += width) {
    if (std::memcmp(first.data() + at, second.data() + at, width) != 0) ++count.differing;
  }
  return count;
}

std::optional<ElementCount> differing_elements(const Recorded& first, const Recorded& second,
                                               const record::PayloadKey& call, std::size_t width) {
  const auto* const ones = outputs_of(first, call);
  const auto* const others = outputs_of(second, call);
  if (width == 0 || ones == nullptr || others == nullptr || ones->size() != others->size())
    return std::nullopt;
  ElementCount sum;
  for (std::size_t i = 0; i < ones->size(); ++i) {
    const record::PayloadOutput& one = (*ones)[i];
    const record::PayloadOutput& other = (*others)[i];
    if (one.bytes != other.bytes || one.bytes % width != 0) return std::nullopt;
    sum.of += one.bytes / width;
    if (one.hash == other.hash) continue;
    const auto here = record::read_content(first.recording, one);
    const auto there = record::read_content(second.recording, other);
    if (!here || !there) return std::nullopt;
    sum.differing += count_differing(*here, *there, width).differing;
  }
  return sum;
}

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
