#include "payload_index.h"

#include <errno.h>
#include <new>
#include <string.h>
#include <sys/mman.h>

#include "folder_names.h"
#include "hash128.h"
#include "point_to_point.h"
#include "text.h"

namespace lockstep::recorder {
namespace {

// Null when the name does not end so.
const char* extension_in(const char* name, const char* extension) {
  const std::size_t length = ::strlen(name);
  const std::size_t end = ::strlen(extension);
  return length > end && ::strcmp(name + length - end, extension) == 0 ? name + length - end : nullptr;
}

template <typename Body>
const Body* body_of(const lockstep_payload_entry* entry) {
  return reinterpret_cast<const Body*>(entry + 1);
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * LOCKSTEP_CHECK_FACTOR;
  return sum ^ sum >> 29;
}

// Calls and results of one key have different names.
std::uint64_t name_of(std::uint64_t communicator, std::uint64_t sequence, std::int32_t peer,
                      std::uint8_t operation, std::uint16_t type) {
  std::uint64_t name = mixed(mixed(type, communicator), sequence);
  if (is_point_to_point(operation)) name = mixed(mixed(name, static_cast<std::uint32_t>(peer)), operation);
  return name != 0 ? name : 1;
}

std::uint64_t name_of(const lockstep_payload_entry* entry) {
  if (entry->type == LOCKSTEP_PAYLOAD_BLOB) return short_name(body_of<lockstep_payload_blob>(entry)->hash);
  if (const lockstep_payload_placed_blob* blob = lockstep_payload_as_placed_blob(entry)) {
    return short_name(blob->hash);
  }
  if (const lockstep_payload_call* call = lockstep_payload_as_call(entry)) {
    return name_of(call->communicator, call->sequence, call->peer, call->operation, entry->type);
  }
  if (const lockstep_payload_result* result = lockstep_payload_as_result(entry)) {
    return name_of(result->communicator, result->sequence, result->peer, result->operation, entry->type);
  }
  return 0;
}

}  // namespace

void PayloadIndex::map_part(const char* folder, const char* name, std::uint32_t restart) {
  const char* const extension = extension_in(name, LOCKSTEP_PAYLOAD_FILE_EXTENSION);
  char path[4096];
  if (extension == nullptr || part_count_ == kMostParts) return;
  if (!TextBuilder(path, sizeof path).add(folder).add("/").add(name).fits()) return;
  Part& part = *new (&parts_[part_count_]) Part;
  if (map_input(path, part.entries) != 0 ||
      lockstep_payload_begin(part.entries.data, part.entries.bytes) == 0)
    return;
  lockstep_payload_file head;
  ::memcpy(&head, part.entries.data, sizeof head);
  if (head.restart != restart) return;
  TextBuilder blobs(path, sizeof path);
  blobs.add(folder).add("/").add(name, static_cast<std::size_t>(extension - name));
  if (blobs.add(LOCKSTEP_PAYLOAD_BLOBS_EXTENSION).fits()) map_input(path, part.blobs);
  part.rank = head.rank;
  ++part_count_;
}

int PayloadIndex::map_parts(const char* folder, std::uint32_t restart) {
  void* memory = ::mmap(nullptr, kMostParts * sizeof(Part), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return errno;
  parts_ = static_cast<Part*>(memory);
  const bool is_read = for_each_name(folder, [&](const char* name) { map_part(folder, name, restart); });
  return is_read ? 0 : ENOENT;
}

int PayloadIndex::open(const char* folder, std::int32_t rank, std::uint32_t restart) {
  if (const int error = map_parts(folder, restart)) return error;
  rank_ = rank;
  bool is_there = false;
  for (std::size_t i = 0; i < part_count_; ++i) is_there = is_there || parts_[i].rank == rank;
  if (!is_there) return ENOENT;
  std::size_t count = 0;
  for_each([&](const lockstep_payload_entry*, const Part&) { ++count; });
  capacity_ = 64;
  while (capacity_ < 2 * count) capacity_ *= 2;
  void* table = ::mmap(nullptr, capacity_ * sizeof(Place), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return errno;
  entries_ = static_cast<Place*>(table);
  for_each([&](const lockstep_payload_entry* entry, const Part& part) {
    const bool is_blob = entry->type == LOCKSTEP_PAYLOAD_BLOB || entry->type == LOCKSTEP_PAYLOAD_PLACED_BLOB;
    if (is_blob || part.rank == rank) add(name_of(entry), entry, &part);
  });
  return 0;
}

void PayloadIndex::add(std::uint64_t name, const lockstep_payload_entry* entry, const Part* part) {
  if (name == 0) return;
  for (std::uint64_t at = name * LOCKSTEP_CHECK_FACTOR >> 20;; ++at) {
    Place& place = entries_[at % capacity_];
    if (place.name == name) return;  // the first one counts
    if (place.name != 0) continue;
    place = {name, entry, part};
    return;
  }
}

const PayloadIndex::Place* PayloadIndex::find(std::uint64_t name) const {
  for (std::uint64_t at = name * LOCKSTEP_CHECK_FACTOR >> 20;; ++at) {
    const Place& place = entries_[at % capacity_];
    if (place.name == name) return &place;
    if (place.name == 0) return nullptr;
  }
}

// Null when it is nowhere, or not of that size.
const void* PayloadIndex::find_content(const lockstep_payload_output& output) const {
  const Place* const place = find(short_name(output.hash));
  if (place == nullptr) return nullptr;
  if (place->entry->type == LOCKSTEP_PAYLOAD_BLOB) {
    const auto* const blob = body_of<lockstep_payload_blob>(place->entry);
    const bool fits = blob->bytes == output.bytes && blob->encoding == 0;
    return fits ? blob + 1 : nullptr;
  }
  const lockstep_payload_placed_blob* const blob = lockstep_payload_as_placed_blob(place->entry);
  if (blob == nullptr || blob->bytes != output.bytes) return nullptr;
  const MappedInput& blobs = place->part->blobs;
  if (blob->offset > blobs.bytes || blob->bytes > blobs.bytes - blob->offset) return nullptr;
  fetch_ahead(blobs, blob->offset, place->part->fetched_blobs);
  return blobs.data + blob->offset;
}

bool PayloadIndex::copy(const lockstep_payload_output& output, const lockstep_room& room) const {
  const void* const content = find_content(output);
  if (content == nullptr) return false;
  ::memcpy(room.data, content, room.bytes);
  return ::memcmp(hash128(room.data, room.bytes).bytes, output.hash, sizeof output.hash) == 0;
}

template <typename Body>
const Body* PayloadIndex::find_body(const PayloadKey& key, std::uint16_t type,
                                    const Body* (*as_body)(const lockstep_payload_entry*)) const {
  const Place* const place = find(name_of(key.communicator, key.sequence, key.peer, key.operation, type));
  return place == nullptr ? nullptr : as_body(place->entry);
}

const lockstep_payload_result* PayloadIndex::find_result(const PayloadKey& key, lockstep_served& served,
                                                         int& status) const {
  const lockstep_payload_call* const call = find_body(key, LOCKSTEP_PAYLOAD_CALL, lockstep_payload_as_call);
  status = LOCKSTEP_SERVE_UNKNOWN;
  if (call == nullptr || call->operation != key.operation) return nullptr;
  served.step = call->step;
  const lockstep_payload_result* const result =
      find_body(key, LOCKSTEP_PAYLOAD_RESULT, lockstep_payload_as_result);
  status = LOCKSTEP_SERVE_OPEN;
  if (result == nullptr) return nullptr;
  served.source = result->source;
  status = LOCKSTEP_SERVED;
  if ((result->flags & LOCKSTEP_PAYLOAD_FAILED) == 0) return result;
  served.error = lockstep_payload_error(result);
  served.error_bytes = result->error_bytes;
  status = LOCKSTEP_SERVE_FAILURE;
  return nullptr;
}

int PayloadIndex::output_bytes(const PayloadKey& key, std::size_t output, std::uint64_t& bytes) const {
  lockstep_served ignored{};
  int status = LOCKSTEP_SERVED;
  const lockstep_payload_result* const result = find_result(key, ignored, status);
  if (result == nullptr) return status;
  if (output >= result->output_count) {
    return (result->flags & LOCKSTEP_PAYLOAD_NOT_KEPT) != 0 ? LOCKSTEP_SERVE_NOT_KEPT : LOCKSTEP_SERVE_MISFIT;
  }
  bytes = lockstep_payload_outputs(result)[output].bytes;
  return LOCKSTEP_SERVED;
}

int PayloadIndex::serve(const PayloadKey& key, const lockstep_room* rooms, std::size_t count,
                        lockstep_served& served) const {
  served.source = -1;
  int status = LOCKSTEP_SERVED;
  const lockstep_payload_result* const result = find_result(key, served, status);
  if (result == nullptr) return status;
  if (result->output_count != count) {
    return (result->flags & LOCKSTEP_PAYLOAD_NOT_KEPT) != 0 ? LOCKSTEP_SERVE_NOT_KEPT : LOCKSTEP_SERVE_MISFIT;
  }
  const lockstep_payload_output* const outputs = lockstep_payload_outputs(result);
  for (std::size_t i = 0; i < count; ++i) {
    if (outputs[i].bytes != rooms[i].bytes) return LOCKSTEP_SERVE_MISFIT;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (rooms[i].bytes != 0 && !copy(outputs[i], rooms[i])) return LOCKSTEP_SERVE_NOT_KEPT;
  }
  return LOCKSTEP_SERVED;
}

}  // namespace lockstep::recorder
