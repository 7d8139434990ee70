// The record reader and everything behind it survive any file.
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile_recording.h"
#include "record/dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = lockstep::fuzz::file_from(data, size);
  const int memory = ::memfd_create("record", MFD_CLOEXEC);
  if (::write(memory, file.data(), file.size()) != static_cast<ssize_t>(file.size())) __builtin_trap();
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  for (const auto layout : {lockstep::record::DumpLayout::kText, lockstep::record::DumpLayout::kJsonLines}) {
    const lockstep::record::DumpOptions options{.layout = layout, .types = {}, .limit = 0};
    (void)lockstep::record::dump_file(path, options,
                                      [](std::string_view) { return lockstep::Result<void>(); });
  }
  ::close(memory);
  return 0;
}
