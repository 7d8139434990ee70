// One thread's way into the record file. A lane owns a chunk at a time and fills it without any lock: a
// record costs a bounds check, the stores of its body, its checksum, and one release store of its head.
//
// A lane belongs to one thread at a time. It holds no memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/record_format.h"

#include "chunk_supply.h"

namespace lockstep::recorder {

class Writer;

// Which record type a structure is.
template <typename Record>
inline constexpr std::uint8_t kTypeOf = 0;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_call> = LOCKSTEP_RECORD_CALL;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_done> = LOCKSTEP_RECORD_DONE;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_activity> = LOCKSTEP_RECORD_ACTIVITY;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_checksum> = LOCKSTEP_RECORD_CHECKSUM;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_blob> = LOCKSTEP_RECORD_BLOB;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_clock> = LOCKSTEP_RECORD_CLOCK;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_dropped> = LOCKSTEP_RECORD_DROPPED;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_thread> = LOCKSTEP_RECORD_THREAD;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_end> = LOCKSTEP_RECORD_END;
template <>
inline constexpr std::uint8_t kTypeOf<lockstep_attribute> = LOCKSTEP_RECORD_ATTRIBUTE;

class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Appends a record whose members except `head` are filled in. Dropped and counted when there is no room.
  template <typename Record>
  void write(const Record& record) {
    static_assert(kTypeOf<Record> != 0, "not a fixed-size record of the format");
    if (!has_room(sizeof(Record)) && !advance(sizeof(Record))) [[unlikely]]
      return;
    commit(&record, sizeof(Record), kTypeOf<Record>);
  }

 private:
  friend class Writer;

  bool has_room(std::size_t length) const {
    return static_cast<std::size_t>(place_.end - place_.cursor) >= length;
  }
  bool advance(std::size_t length);

  // Writes into room that is there. Returns the record's place in the file.
  const char* commit(const void* record, std::size_t length, std::uint8_t type) {
    char* place = place_.cursor;
    const std::uint64_t head =
        lockstep_record_head(record, static_cast<std::uint16_t>(length), type, place_.sequence);
    __builtin_memcpy(place + 8, static_cast<const char*>(record) + 8, length - 8);
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(place), head, __ATOMIC_RELEASE);
    place_.cursor = place + length;
    return place;
  }

  ChunkPlace place_;
  Writer* writer_ = nullptr;
  std::uint32_t kind_ = LOCKSTEP_CHUNK_EVENTS;
  std::uint32_t thread_ = 0;
  std::uint64_t dropped_ = 0;  // since the last record that found room
};

}  // namespace lockstep::recorder
