#include "record/definitions.h"

#include <cstring>

namespace lockstep::record {
namespace {

// A writer keeps at most some 100,000 definitions of a few KB; more is a hostile file.
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
// Of all communicators of a file together: a run of members stands for as many as it says. A rank of a job of
// 100,000 is in some ten groups.
constexpr std::uint64_t kMaxMembersOfAll = std::uint64_t{4} << 20;

// The `count` structures that follow the fixed part of a record, or nothing when they do not fit into it.
template <typename Item, typename Record>
std::vector<Item> items_after(const RecordView& record, std::uint64_t count) {
  std::vector<Item> items;
  if (count * sizeof(Item) > record.length - sizeof(Record)) return items;
  items.resize(count);
  if (count != 0) std::memcpy(items.data(), record.data + sizeof(Record), count * sizeof(Item));
  return items;
}

template <typename Map>
const typename Map::mapped_type* find_in(const Map& map, std::uint32_t id) {
  const auto place = map.find(id);
  return place == map.end() ? nullptr : &place->second;
}

// False when the counts do not fit the length of the record.
bool decode_tensors(const RecordView& record, TensorsDefinition& tensors) {
  const auto* fixed = record.as<lockstep_tensors>();
  if (fixed == nullptr) return false;
  std::size_t offset = sizeof *fixed;
  const std::size_t count = std::size_t{fixed->input_count} + fixed->output_count;
  for (std::size_t i = 0; i < count; ++i) {
    lockstep_tensor tensor{};
    if (offset + sizeof tensor > record.length) return false;
    std::memcpy(&tensor, record.data + offset, sizeof tensor);
    offset += sizeof tensor;
    const std::size_t dimension_bytes = std::size_t{tensor.dimension_count} * 8;
    if (offset + dimension_bytes > record.length) return false;
    TensorShape shape{tensor.data_type, std::vector<std::int64_t>(tensor.dimension_count)};
    if (dimension_bytes != 0) std::memcpy(shape.dimensions.data(), record.data + offset, dimension_bytes);
    offset += dimension_bytes;
    (i < fixed->input_count ? tensors.inputs : tensors.outputs).push_back(std::move(shape));
  }
  return true;
}

}  // namespace

std::vector<int> CommunicatorDefinition::member_ranks() const {
  constexpr std::size_t kMaxRanks = std::size_t{1} << 20;
  std::vector<int> ranks;
  for (const lockstep_rank_run& run : members) {
    if (ranks.size() + run.count > kMaxRanks) return ranks;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      ranks.push_back(
          static_cast<int>(static_cast<std::uint32_t>(run.first) + i * static_cast<std::uint32_t>(run.step)));
    }
  }
  return ranks;
}

Result<Definitions> Definitions::read(const std::filesystem::path& path) {
  return read(TRY(Reader::open(path, ChunkFilter::kDefinitions)));
}

Definitions Definitions::read(Reader reader) {
  Definitions definitions;
  while (const RecordView* record = reader.next()) definitions.add(*record);
  return definitions;
}

void Definitions::add(const RecordView& record) {
  if (bytes_ > kMaxBytes) return;
  bytes_ += record.length;
  switch (record.type) {
    case LOCKSTEP_RECORD_STRING:
      add_string(record);
      break;
    case LOCKSTEP_RECORD_COMMUNICATOR:
      add_communicator(record);
      break;
    case LOCKSTEP_RECORD_TENSORS:
      add_tensors(record);
      break;
    case LOCKSTEP_RECORD_STACK:
      add_stack(record);
      break;
    default:
      bytes_ -= record.length;
      break;
  }
}

void Definitions::add_string(const RecordView& record) {
  const auto* fixed = record.as<lockstep_string>();
  if (fixed == nullptr || fixed->bytes > record.length - sizeof *fixed) return;
  strings_.try_emplace(fixed->id, reinterpret_cast<const char*>(record.data) + sizeof *fixed, fixed->bytes);
}

void Definitions::add_communicator(const RecordView& record) {
  const auto* fixed = record.as<lockstep_communicator>();
  if (fixed == nullptr) return;
  const auto [place, is_new] = communicators_.try_emplace(
      fixed->id, CommunicatorDefinition{
                     fixed->name, fixed->description, fixed->backend, fixed->size, fixed->rank_in_it,
                     items_after<lockstep_rank_run, lockstep_communicator>(record, fixed->run_count)});
  if (!is_new) return;
  std::uint64_t count = 0;
  for (const lockstep_rank_run& run : place->second.members) count += run.count;
  if (count > kMaxMembersOfAll - members_) {
    place->second.members.clear();
  } else {
    members_ += count;
  }
}

void Definitions::add_tensors(const RecordView& record) {
  TensorsDefinition tensors;
  if (decode_tensors(record, tensors))
    tensors_.try_emplace(record.as<lockstep_tensors>()->id, std::move(tensors));
}

void Definitions::add_stack(const RecordView& record) {
  const auto* fixed = record.as<lockstep_stack>();
  if (fixed == nullptr) return;
  stacks_.try_emplace(fixed->id, items_after<lockstep_frame, lockstep_stack>(record, fixed->frame_count));
}

std::string_view Definitions::string(std::uint32_t id) const {
  const std::string* text = find_in(strings_, id);
  return text == nullptr ? std::string_view{} : std::string_view{*text};
}

const CommunicatorDefinition* Definitions::communicator(std::uint32_t id) const {
  return find_in(communicators_, id);
}
const TensorsDefinition* Definitions::tensors(std::uint32_t id) const {
  return find_in(tensors_, id);
}
const std::vector<lockstep_frame>* Definitions::stack(std::uint32_t id) const {
  return find_in(stacks_, id);
}

}  // namespace lockstep::record
