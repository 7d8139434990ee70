#include "witness/file_life.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace lockstep::witness {
namespace {

std::chrono::system_clock::time_point time_from(const struct ::statx_timestamp& stamp) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec)));
}

FileKind kind_from(unsigned mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  return S_ISFIFO(mode) ? FileKind::kPipe : FileKind::kOther;
}

}  // namespace

std::optional<FileLife> life_of(const std::filesystem::path& path) {
  struct ::statx seen {};
  constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_MTIME | STATX_BTIME;
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, kWanted, &seen) != 0) return std::nullopt;
  FileLife life;
  constexpr int kMajorBits = 32;
  life.file = {(std::uint64_t{seen.stx_dev_major} << kMajorBits) | seen.stx_dev_minor, seen.stx_ino};
  life.kind = kind_from(seen.stx_mode);
  if ((seen.stx_mask & STATX_BTIME) != 0) life.made = time_from(seen.stx_btime);
  life.written = time_from(seen.stx_mtime);
  return life;
}

}  // namespace lockstep::witness
