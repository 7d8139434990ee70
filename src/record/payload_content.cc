#include "record/payload_content.h"

#include <cstring>

#include "lockstep/payload_format.h"

#include "base/mapped_file.h"

namespace lockstep::record {
namespace {

namespace fs = std::filesystem;

bool is_it(const std::uint8_t (&hash)[16], std::uint64_t bytes, const PayloadOutput& wanted) {
  return bytes == wanted.bytes && std::memcmp(hash, wanted.hash.data(), sizeof hash) == 0;
}

std::vector<std::byte> copy_of(const void* data, std::uint64_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  return {begin, begin + bytes};
}

std::optional<std::vector<std::byte>> placed_content(const fs::path& payload_file,
                                                     const lockstep_payload_placed_blob& blob) {
  const base::MappedFile file(fs::path(payload_file).replace_extension(LOCKSTEP_PAYLOAD_BLOBS_EXTENSION));
  if (!file.is_open() || blob.offset > file.bytes() || blob.bytes > file.bytes() - blob.offset)
    return std::nullopt;
  return copy_of(static_cast<const std::byte*>(file.data()) + blob.offset, blob.bytes);
}

// `entry` is whole: its checksum was looked at.
const lockstep_payload_blob* as_blob(const lockstep_payload_entry& entry) {
  if (entry.type != LOCKSTEP_PAYLOAD_BLOB || entry.bytes < sizeof(lockstep_payload_blob)) return nullptr;
  const auto* const blob = reinterpret_cast<const lockstep_payload_blob*>(&entry + 1);
  return blob->encoding == 0 && blob->bytes <= entry.bytes - sizeof *blob ? blob : nullptr;
}

std::optional<std::vector<std::byte>> content_in(const fs::path& path, const PayloadOutput& wanted) {
  const base::MappedFile file(path);
  if (!file.is_open()) return std::nullopt;
  std::uint64_t offset = lockstep_payload_begin(file.data(), file.bytes());
  while (offset != 0) {
    const lockstep_payload_entry* const entry =
        lockstep_payload_entry_at(file.data(), file.bytes(), offset, &offset);
    if (entry == nullptr) return std::nullopt;
    const lockstep_payload_blob* const blob = as_blob(*entry);
    if (blob != nullptr && is_it(blob->hash, blob->bytes, wanted)) return copy_of(blob + 1, blob->bytes);
    const auto* const placed = lockstep_payload_as_placed_blob(entry);
    if (placed != nullptr && is_it(placed->hash, placed->bytes, wanted)) return placed_content(path, *placed);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::byte>> read_content(const fs::path& recording, const PayloadOutput& output) {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(recording / LOCKSTEP_PAYLOAD_FOLDER, fault)) {
    if (entry.path().extension() != LOCKSTEP_PAYLOAD_FILE_EXTENSION) continue;
    if (auto content = content_in(entry.path(), output)) return content;
  }
  return std::nullopt;
}

}  // namespace lockstep::record
