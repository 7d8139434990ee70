#include "recorded_entropy.h"

#include <string.h>

#include "lockstep/payload_format.h"

namespace lockstep::recorder {

void RecordedEntropy::open(const char* path) {
  if (map_input(path, file_) != 0) return;
  next_[0] = next_[1] = lockstep_payload_begin(file_.data, file_.bytes);
  if (next_[0] == 0) file_ = {};
}

bool RecordedEntropy::take(void* to, std::size_t bytes, bool is_main_thread) {
  if (file_.data == nullptr) return false;
  const std::uint32_t kind = is_main_thread ? 1 : 0;
  std::uint64_t offset = next_[kind];
  while (const lockstep_payload_entry* entry =
             lockstep_payload_entry_at(file_.data, file_.bytes, offset, &offset)) {
    const lockstep_payload_entropy* const entropy = lockstep_payload_as_entropy(entry);
    if (entropy == nullptr || entropy->is_main_thread != kind || entropy->bytes != bytes) continue;
    ::memcpy(to, entropy + 1, bytes);
    next_[kind] = offset;
    return true;
  }
  return false;
}

}  // namespace lockstep::recorder
