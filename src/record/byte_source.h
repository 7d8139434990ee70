// The bytes of a record file, wherever they are: in a file, or in memory when they had to be decompressed
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace lockstep::record {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Now: a file may grow while it is read.
  virtual std::uint64_t size() const = 0;

  // Fills `into` from `offset` on. Fewer bytes come at the end of the source; nothing when the medium fails
  // there (errno says why): other places may still be readable.
  virtual std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) = 0;

  // From `offset` up to here there are only zeros, where the file system knows so: a file may claim
  // terabytes that it does not have.
  virtual std::uint64_t next_data(std::uint64_t offset) { return offset; }
};

Result<std::unique_ptr<ByteSource>> open_byte_source(const std::filesystem::path& path);

// `bytes` must outlive it.
std::unique_ptr<ByteSource> byte_source_over(std::string_view bytes);

}  // namespace lockstep::record
