// Record files from the bytes a fuzzer invents.
//
// Random bytes would never get past the checksums, so the first byte chooses: 0 gives the input to the reader
// as it is; anything else takes the input as the chunks of a file and puts right the header and every
// checksum, so that the decoders behind them see hostile content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "lockstep/record_format.h"

namespace lockstep::fuzz {

inline constexpr std::size_t kChunkBytes = 4096;

inline void put_header(std::string& file) {
  lockstep_file_header header{};
  std::memcpy(header.magic, LOCKSTEP_FILE_MAGIC, sizeof header.magic);
  header.version = LOCKSTEP_FORMAT_VERSION;
  header.header_bytes = kChunkBytes;
  header.byte_order = LOCKSTEP_BYTE_ORDER;
  header.chunk_bytes = kChunkBytes;
  header.check = lockstep_words_check(&header, offsetof(lockstep_file_header, check) / 8, 0);
  std::memcpy(file.data(), &header, sizeof header);
}

inline void put_checksums(char* chunk, std::uint64_t sequence) {
  lockstep_chunk_header header{};
  header.magic = LOCKSTEP_CHUNK_MAGIC;
  header.sequence = sequence;
  header.kind = chunk[0] % 2 == 0 ? LOCKSTEP_CHUNK_DEFINITIONS : LOCKSTEP_CHUNK_EVENTS;
  header.check = lockstep_words_check(&header, offsetof(lockstep_chunk_header, check) / 8, 0);
  std::memcpy(chunk, &header, sizeof header);
  for (std::size_t at = sizeof header; at + 8 <= kChunkBytes;) {
    std::uint64_t head = 0;
    std::memcpy(&head, chunk + at, sizeof head);
    if (head == 0) return;
    const std::size_t room = kChunkBytes - at;
    const auto length = static_cast<std::uint16_t>((8 + (head & 0x1F8)) <= room ? 8 + (head & 0x1F8) : room);
    const std::uint8_t type = static_cast<std::uint8_t>((head >> 16) % 40 + 1);
    head = lockstep_record_head(chunk + at, length, type, sequence);
    std::memcpy(chunk + at, &head, sizeof head);
    at += length;
  }
}

inline std::string file_from(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] == 0)
    return std::string(reinterpret_cast<const char*>(data) + (size != 0), size - (size != 0));
  std::string file(kChunkBytes, '\0');
  put_header(file);
  file.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  file.resize((file.size() + kChunkBytes - 1) / kChunkBytes * kChunkBytes);
  for (std::size_t chunk = 1; chunk < file.size() / kChunkBytes; ++chunk) {
    put_checksums(file.data() + chunk * kChunkBytes, chunk);
  }
  return file;
}

}  // namespace lockstep::fuzz
