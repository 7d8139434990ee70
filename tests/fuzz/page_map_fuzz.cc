// Any list of pages is read or refused; one that was read says the same when it is written again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "replay/checkpoint/shared_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep::checkpoint;
  const auto map = decode_page_map({reinterpret_cast<const char*>(data), size}, "fuzzed");
  if (!map.ok()) return 0;
  const auto again = decode_page_map(encode_page_map(map.value()), "written again");
  const bool is_same = again.ok() && again.value().magic == map.value().magic &&
                       again.value().contents == map.value().contents &&
                       again.value().runs == map.value().runs;
  if (!is_same) std::abort();
  return 0;
}
