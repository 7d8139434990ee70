#include "readers/lockstep/definition_ids.h"

#include <limits>

#include <fmt/format.h>

namespace lockstep::readers {
namespace {

using model::DataType;

constexpr std::uint32_t kMaxDense = 1 << 20;  // a writer counts definitions from 1; larger ids are hostile
constexpr std::size_t kCachedCollectives = 4096;

template <typename Id>
Id remembered(std::vector<std::uint32_t>& table, std::uint32_t id, Id translated) {
  if (id >= kMaxDense) return translated;
  if (id >= table.size()) table.resize(id + 1);
  table[id] = static_cast<std::uint32_t>(translated) + 1;
  return translated;
}

std::int64_t bytes_of(DataType type) {
  switch (type) {
    case DataType::kInt16:
    case DataType::kUInt16:
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return 2;
    case DataType::kInt32:
    case DataType::kUInt32:
    case DataType::kFloat32:
      return 4;
    case DataType::kInt64:
    case DataType::kUInt64:
    case DataType::kFloat64:
    case DataType::kComplex64:
      return 8;
    case DataType::kComplex128:
      return 16;
    default:
      return 1;
  }
}

void add_tensors(const std::vector<record::TensorShape>& tensors, std::vector<DataType>& types,
                 std::vector<model::Shape>& shapes) {
  for (const record::TensorShape& tensor : tensors) {
    types.push_back(static_cast<DataType>(tensor.data_type));
    shapes.push_back(tensor.dimensions);
  }
}

std::size_t slot_of(const lockstep_call& call) {
  std::uint64_t hash = call.payload_bytes * 0x9E3779B97F4A7C15ULL;
  hash ^= call.tensors * 0xD1B54A32D192ED03ULL + static_cast<std::uint32_t>(call.peer);
  hash ^= (std::uint64_t{call.operation} << 16 | std::uint64_t{call.reduce_op} << 8 | call.data_type) *
          0xA24BAED4963EE407ULL;
  return (hash >> 40) % kCachedCollectives;
}

}  // namespace

model::NameId DefinitionIds::new_name(std::uint32_t id) {
  if (id == 0) return model::NameId::kNone;
  return remembered(names_, id, job_.names.intern(std::string(definitions_.string(id))));
}

model::StackId DefinitionIds::new_stack(std::uint32_t id) {
  const auto* frames = definitions_.stack(id);
  if (frames == nullptr) return model::StackId::kNone;
  return remembered(stacks_, id, job_.stacks.intern(stack_of(*frames)));
}

model::Stack DefinitionIds::stack_of(const std::vector<lockstep_frame>& frames) const {
  model::Stack stack;
  for (const lockstep_frame& frame : frames) {
    const bool is_line = frame.line <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
    stack.push_back({.function = std::string(definitions_.string(frame.function)),
                     .file = std::string(definitions_.string(frame.file)),
                     .line = is_line ? static_cast<int>(frame.line) : 0});
  }
  return stack;
}

model::CommunicatorId DefinitionIds::new_communicator(std::uint32_t id) {
  if (id == 0) return model::CommunicatorId::kNone;
  return remembered(communicators_, id,
                    job_.communicators.intern(communicator_of(id, definitions_.communicator(id))));
}

model::Communicator DefinitionIds::communicator_of(std::uint32_t id,
                                                   const record::CommunicatorDefinition* definition) const {
  model::Communicator communicator;
  if (definition == nullptr) {  // its definition was lost; its calls still belong together
    communicator.name = fmt::format("communicator {}", id);
    return communicator;
  }
  communicator.name = definitions_.string(definition->name);
  communicator.description = definitions_.string(definition->description);
  communicator.backend = definitions_.string(definition->backend);
  if (definition->size != 0 && definition->size <= static_cast<std::uint32_t>(model::kMaxRanks)) {
    communicator.size = static_cast<int>(definition->size);
  }
  communicator.members = definition->member_ranks();
  return communicator;
}

model::CollectiveId DefinitionIds::collective(const lockstep_call& call) {
  if (collectives_.empty()) collectives_.resize(kCachedCollectives);
  Described& slot = collectives_[slot_of(call)];
  const bool is_it = slot.id != model::CollectiveId::kNone && slot.payload_bytes == call.payload_bytes &&
                     slot.tensors == call.tensors && slot.peer == call.peer &&
                     slot.operation == call.operation && slot.reduce_op == call.reduce_op &&
                     slot.data_type == call.data_type;
  if (!is_it) {
    slot = {.payload_bytes = call.payload_bytes,
            .tensors = call.tensors,
            .peer = call.peer,
            .operation = call.operation,
            .reduce_op = call.reduce_op,
            .data_type = call.data_type,
            .id = job_.collectives.intern(collective_of(call))};
  }
  return slot.id;
}

// Without shapes, the number of elements is what must agree.
model::Collective DefinitionIds::collective_of(const lockstep_call& call) const {
  model::Collective collective;
  collective.operation = static_cast<model::Operation>(call.operation);
  collective.reduce_op = static_cast<model::ReduceOp>(call.reduce_op);
  if (call.peer >= 0) collective.peer = call.peer;
  const auto type = static_cast<DataType>(call.data_type);
  if (const record::TensorsDefinition* tensors = definitions_.tensors(call.tensors)) {
    add_tensors(tensors->inputs, collective.input_types, collective.input_shapes);
    add_tensors(tensors->outputs, collective.output_types, collective.output_shapes);
  } else if (type != DataType::kUnknown || call.payload_bytes != 0) {
    collective.input_types = {type};
    collective.input_shapes = {{static_cast<std::int64_t>(call.payload_bytes) / bytes_of(type)}};
  }
  return collective;
}

}  // namespace lockstep::readers
