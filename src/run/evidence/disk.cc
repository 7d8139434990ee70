#include "run/evidence/disk.h"

#include <sys/statvfs.h>

namespace lockstep::evidence {

std::optional<Disk> disk_of(const std::filesystem::path& folder) {
  struct statvfs told {};
  if (::statvfs(folder.c_str(), &told) != 0) return std::nullopt;
  return Disk{.folder = folder.string(),
              .total_bytes = std::uint64_t{told.f_blocks} * told.f_frsize,
              .free_bytes = std::uint64_t{told.f_bavail} * told.f_frsize,
              .free_files = std::uint64_t{told.f_favail}};
}

}  // namespace lockstep::evidence
