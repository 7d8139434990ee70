#include "run/evidence/file_life.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace lockstep::evidence {
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

bool lies_on_this_host(const std::filesystem::path& path) {
  constexpr std::array<std::uint64_t, 7> kOfThisHost = {0xEF53,       // ext2, ext3, ext4
                                                        0x58465342,   // XFS
                                                        0x9123683E,   // btrfs
                                                        0x01021994,   // tmpfs
                                                        0x794C7630,   // overlay
                                                        0x2FC12FC1,   // ZFS
                                                        0xF2F52010};  // F2FS
  struct ::statfs system {};
  if (::statfs(path.c_str(), &system) != 0) return false;
  return std::ranges::find(kOfThisHost, static_cast<std::uint32_t>(system.f_type)) != kOfThisHost.end();
}

}  // namespace lockstep::evidence
