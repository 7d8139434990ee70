// What a record file's header and chunks must look like, for everyone who reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lockstep/record_format.h"

namespace lockstep::record {

inline constexpr std::uint32_t kSmallestChunk = 4096;
inline constexpr std::uint32_t kLargestChunk = 1 << 20;

// Why a header with the right magic cannot be used; empty when it can.
std::string fault_in_header(const lockstep_file_header& header);

bool is_ring(const lockstep_file_header& header);
bool is_valid(const lockstep_chunk_header& chunk);

// What stands in a chunk at `record`, of which `present` bytes are known and `room` are left in the chunk.
enum class RecordShape : std::uint8_t { kNothingYet, kWhole, kCut, kDamaged };
struct RecordAt {
  RecordShape shape = RecordShape::kNothingYet;
  std::uint16_t length = 0;
  std::uint8_t type = 0;
};
RecordAt record_at(const std::byte* record, std::size_t present, std::size_t room,
                   std::uint64_t chunk_sequence);

}  // namespace lockstep::record
