#include "process_texts.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::recorder {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // more than a kernel lets a process begin with

std::size_t read_file(const char* path, char* place, std::size_t room) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t used = 0;
  while (used < room) {
    const ssize_t got = ::read(file, place + used, room - used);
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  ::close(file);
  return used;
}

std::size_t read_link(const char* path, char* place, std::size_t room) {
  const ssize_t got = ::readlink(path, place, room);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

void note_process_texts(PayloadKeeper& keeper) {
  void* const memory = ::mmap(nullptr, 2 * kMostBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  char* const arguments = static_cast<char*>(memory);
  char* const environment = arguments + kMostBytes;
  char folder[PATH_MAX];
  char program[PATH_MAX];
  lockstep_payload_process process{};
  process.arguments_bytes =
      static_cast<std::uint32_t>(read_file("/proc/self/cmdline", arguments, kMostBytes));
  process.environment_bytes =
      static_cast<std::uint32_t>(read_file("/proc/self/environ", environment, kMostBytes));
  process.folder_bytes = static_cast<std::uint32_t>(read_link("/proc/self/cwd", folder, sizeof folder));
  process.program_bytes = static_cast<std::uint32_t>(read_link("/proc/self/exe", program, sizeof program));
  const lockstep_piece texts[4] = {{arguments, process.arguments_bytes},
                                   {environment, process.environment_bytes},
                                   {folder, process.folder_bytes},
                                   {program, process.program_bytes}};
  keeper.note_process(process, texts, 4);
  ::munmap(memory, 2 * kMostBytes);
}

}  // namespace lockstep::recorder
