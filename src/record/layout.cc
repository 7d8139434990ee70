#include "record/layout.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace lockstep::record {
namespace {

constexpr std::size_t kHeaderWords = offsetof(lockstep_file_header, check) / 8;
constexpr std::size_t kChunkHeaderWords = offsetof(lockstep_chunk_header, check) / 8;

}  // namespace

std::string fault_in_header(const lockstep_file_header& header) {
  if (header.byte_order == __builtin_bswap32(LOCKSTEP_BYTE_ORDER)) {
    return "written on a machine of the other byte order";
  }
  if (header.check != lockstep_words_check(&header, kHeaderWords, 0)) return "the header is damaged";
  if (header.version != LOCKSTEP_FORMAT_VERSION) {
    return fmt::format("format version {}, this lockstep reads {}", header.version, LOCKSTEP_FORMAT_VERSION);
  }
  if (header.required_features != 0) {
    return fmt::format("needs abilities this version lacks (mask {:#x})", header.required_features);
  }
  const bool chunk_fits = header.chunk_bytes >= kSmallestChunk && header.chunk_bytes <= kLargestChunk &&
                          std::has_single_bit(header.chunk_bytes);
  const bool header_fits = header.header_bytes >= kSmallestChunk && header.header_bytes <= kLargestChunk &&
                           header.header_bytes % 8 == 0;
  return chunk_fits && header_fits ? "" : "impossible chunk or header size";
}

bool is_ring(const lockstep_file_header& header) {
  return (header.features & LOCKSTEP_FEATURE_RING) != 0;
}

bool is_valid(const lockstep_chunk_header& chunk) {
  return chunk.magic == LOCKSTEP_CHUNK_MAGIC &&
         chunk.check == lockstep_words_check(&chunk, kChunkHeaderWords, 0);
}

RecordAt record_at(const std::byte* record, std::size_t present, std::size_t room,
                   std::uint64_t chunk_sequence) {
  std::uint64_t head = 0;
  std::memcpy(&head, record, sizeof head);
  if (head == 0) return {};
  const auto length = static_cast<std::uint16_t>(head);
  const auto type = static_cast<std::uint8_t>(head >> 16);
  const bool is_possible = length >= 8 && length % 8 == 0 && type != 0 && length <= room;
  if (!is_possible) return {.shape = RecordShape::kDamaged};
  if (length > present) return {.shape = RecordShape::kCut, .length = length, .type = type};
  const bool is_whole = head == lockstep_record_head(record, length, type, chunk_sequence);
  return {.shape = is_whole ? RecordShape::kWhole : RecordShape::kDamaged, .length = length, .type = type};
}

}  // namespace lockstep::record
