// Compressed data of any kind of damage gives what came before it, within the bound on what it may expand to.
#include <cstdint>
#include <string_view>

#include "readers/byte_stream.h"
#include "readers/open_input.h"
#include "readers/testing/compress.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!lockstep::readers::is_compressed(bytes)) return 0;
  lockstep::readers::testing::MemoryStream stored(bytes);
  lockstep::readers::Decompressed content(stored, bytes);
  const lockstep::readers::Input input = lockstep::readers::read_whole(content, size);
  const std::size_t most = (std::size_t{64} << 20) + 256 * size;
  if (input.bytes.view().size() > most + 1) __builtin_trap();
  return 0;
}
