#include "payload_index.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash128.h"
#include "text.h"

namespace lockstep::recorder {
namespace {

bool write_path(char (&path)[4096], const char* folder, std::int32_t rank, std::uint32_t restart) {
  TextBuilder builder(path, sizeof path);
  builder.add(folder).add("/rank_").add_number(static_cast<std::uint64_t>(rank), 5);
  builder.add(".restart_").add_number(restart).add(LOCKSTEP_PAYLOAD_FILE_EXTENSION);
  return builder.fits();
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * LOCKSTEP_CHECK_FACTOR;
  return sum ^ sum >> 29;
}

// Calls and results of one key have different names.
std::uint64_t name_of(std::uint64_t communicator, std::uint64_t sequence, std::int32_t peer,
                      std::uint8_t operation, std::uint16_t type) {
  const bool is_pair = operation == LOCKSTEP_OPERATION_Send || operation == LOCKSTEP_OPERATION_Receive;
  std::uint64_t name = mixed(mixed(type, communicator), sequence);
  if (is_pair) name = mixed(mixed(name, static_cast<std::uint32_t>(peer)), operation);
  return name != 0 ? name : 1;
}

std::uint64_t name_of(const lockstep_payload_entry* entry) {
  if (entry->type == LOCKSTEP_PAYLOAD_BLOB) {
    return short_name(reinterpret_cast<const lockstep_payload_blob*>(entry + 1)->hash);
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

int PayloadIndex::map(const char* path, File& file) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat status {};
  void* place = MAP_FAILED;
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
    place = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  ::close(descriptor);
  if (place == MAP_FAILED) return EBADMSG;
  file = {static_cast<const char*>(place), static_cast<std::uint64_t>(status.st_size)};
  return lockstep_payload_begin(file.data, file.bytes) == 0 ? EBADMSG : 0;
}

template <typename Visit>
void PayloadIndex::for_each(const File& file, Visit visit) {
  std::uint64_t offset = lockstep_payload_begin(file.data, file.bytes);
  if (offset == 0) return;
  while (const lockstep_payload_entry* entry =
             lockstep_payload_entry_at(file.data, file.bytes, offset, &offset)) {
    visit(entry);
  }
}

int PayloadIndex::open(const char* folder, std::int32_t rank, std::uint32_t restart) {
  char path[4096];
  if (!write_path(path, folder, rank, restart)) return ENAMETOOLONG;
  if (const int error = map(path, own_)) return error;
  lockstep_payload_file head;
  ::memcpy(&head, own_.data, sizeof head);
  std::int32_t ranks = head.world_size > rank ? head.world_size : rank + 1;
  if (head.world_size < 0) {
    while (write_path(path, folder, ranks, restart) && ::access(path, R_OK) == 0) ++ranks;
  }
  if (static_cast<std::size_t>(ranks) > kMostFiles) return EBADMSG;
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(ranks) * sizeof(File), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return errno;
  File* const files = static_cast<File*>(memory);
  std::size_t count = 0;
  for (std::int32_t other = 0; other < ranks; ++other) {
    if (other == rank) {
      files[other] = own_;
    } else if (write_path(path, folder, other, restart)) {
      map(path, files[other]);  // a rank without one: what only it kept is missing
    }
    for_each(files[other], [&](const lockstep_payload_entry*) { ++count; });
  }
  capacity_ = 64;
  while (capacity_ < 2 * count) capacity_ *= 2;
  void* table = ::mmap(nullptr, capacity_ * sizeof(Place), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return errno;
  entries_ = static_cast<Place*>(table);
  for (std::int32_t other = 0; other < ranks; ++other) {
    for_each(files[other], [&](const lockstep_payload_entry* entry) {
      if (entry->type == LOCKSTEP_PAYLOAD_BLOB || other == rank) add(name_of(entry), entry);
    });
  }
  ::munmap(files, static_cast<std::size_t>(ranks) * sizeof(File));
  return 0;
}

void PayloadIndex::add(std::uint64_t name, const lockstep_payload_entry* entry) {
  if (name == 0) return;
  for (std::uint64_t at = name * LOCKSTEP_CHECK_FACTOR >> 20;; ++at) {
    Place& place = entries_[at % capacity_];
    if (place.name == name) return;  // the first one counts
    if (place.name != 0) continue;
    place = {name, entry};
    return;
  }
}

const lockstep_payload_entry* PayloadIndex::find(std::uint64_t name) const {
  for (std::uint64_t at = name * LOCKSTEP_CHECK_FACTOR >> 20;; ++at) {
    const Place& place = entries_[at % capacity_];
    if (place.name == name) return place.entry;
    if (place.name == 0) return nullptr;
  }
}

bool PayloadIndex::copy(const lockstep_payload_output& output, const lockstep_room& room) const {
  const lockstep_payload_entry* entry = find(short_name(output.hash));
  if (entry == nullptr || entry->type != LOCKSTEP_PAYLOAD_BLOB) return false;
  const auto* const blob = reinterpret_cast<const lockstep_payload_blob*>(entry + 1);
  if (blob->bytes != output.bytes || blob->encoding != 0) return false;
  if (::memcmp(blob->hash, output.hash, sizeof blob->hash) != 0) return false;
  ::memcpy(room.data, blob + 1, room.bytes);
  return ::memcmp(hash128(room.data, room.bytes).bytes, output.hash, sizeof output.hash) == 0;
}

const lockstep_payload_result* PayloadIndex::find_result(const PayloadKey& key, lockstep_served& served,
                                                         int& status) const {
  const auto found = [&](std::uint16_t type) {
    return find(name_of(key.communicator, key.sequence, key.peer, key.operation, type));
  };
  const lockstep_payload_entry* const call_entry = found(LOCKSTEP_PAYLOAD_CALL);
  const lockstep_payload_call* const call =
      call_entry == nullptr ? nullptr : lockstep_payload_as_call(call_entry);
  status = LOCKSTEP_SERVE_UNKNOWN;
  if (call == nullptr || call->operation != key.operation) return nullptr;
  served.step = call->step;
  const lockstep_payload_entry* const entry = found(LOCKSTEP_PAYLOAD_RESULT);
  const lockstep_payload_result* const result =
      entry == nullptr ? nullptr : lockstep_payload_as_result(entry);
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
