// The payload reader survives any file. The seed's checksums are mended, so that changes reach the bodies.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lockstep/payload_format.h"

#include "record/payload.h"

namespace {

void mend(char* file, std::size_t bytes) {
  lockstep_payload_file head;
  if (bytes < sizeof head) return;
  std::memcpy(&head, file, sizeof head);
  std::memcpy(head.magic, LOCKSTEP_PAYLOAD_FILE_MAGIC, sizeof head.magic);
  head.version = LOCKSTEP_FORMAT_VERSION;
  head.byte_order = LOCKSTEP_BYTE_ORDER;
  head.check = lockstep_words_check(&head, sizeof head / 8 - 1, 0);
  std::memcpy(file, &head, sizeof head);
  std::size_t offset = sizeof head;
  lockstep_payload_entry entry;
  while (bytes - offset >= sizeof entry) {
    std::memcpy(&entry, file + offset, sizeof entry);
    entry.magic = LOCKSTEP_PAYLOAD_ENTRY_MAGIC;
    const std::uint64_t padded = lockstep_payload_padded(entry.bytes);
    const std::size_t left = bytes - offset - sizeof entry;
    if (entry.bytes > left || padded > left) return;
    const std::uint64_t checked = lockstep_payload_checked(entry.type, entry.bytes);
    if (checked > left) return;
    entry.check = lockstep_words_check(file + offset + sizeof entry, checked / 8, entry.bytes);
    std::memcpy(file + offset, &entry, sizeof entry);
    offset += sizeof entry + padded;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words(size / 8 + 1);
  std::memcpy(words.data(), data, size);
  (void)lockstep::record::decode_payload(words.data(), size, "as it is");
  mend(reinterpret_cast<char*>(words.data()), size);
  (void)lockstep::record::decode_payload(words.data(), size, "mended");
  return 0;
}
