// The files of a rank's payload, part by part: entries, and large contents beside them. One thread's own.
//
// Large contents go to the disk past the page cache where the file system allows it: copying them into it
// costs the job's cores several times what copying them into memory costs, and its pages are the job's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits.h>

#include "lockstep/payload_format.h"

namespace lockstep::recorder {

class PayloadFiles {
 public:
  // Makes the file of part 0; `base` is its path without extension, `head` is completed for each part. 0 or
  // an errno.
  int open(const char* base, const lockstep_payload_file& head);

  // A whole entry, padding included.
  void append(const void* entry, std::size_t bytes);

  // `data` begins at a page, and zeros follow it up to the end of its last one.
  void append_blob(const std::uint8_t (&hash)[16], const char* data, std::size_t bytes);

  // From here on everything goes to part `number`.
  void begin_part(std::uint32_t number, std::uint64_t first_step);

  // Removes the parts below `number`, except part 0.
  void remove_parts_below(std::uint32_t number);

  // From any thread: errnos; 0 while all is well. Without contents entries still go on.
  int error() const { return error_.load(std::memory_order_relaxed); }
  int blob_error() const { return blob_error_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kMostParts = 64;

  bool write_path(char (&path)[PATH_MAX], std::uint32_t part, const char* extension) const;
  int make(std::uint32_t part, const char* extension, int flags) const;
  bool write_head(std::uint32_t part, std::uint64_t first_step);
  void remove_part(std::uint32_t number) const;
  bool open_blobs();
  bool leave_direct();

  char base_[PATH_MAX] = {};
  lockstep_payload_file head_{};
  int file_ = -1;
  std::uint64_t file_end_ = 0;
  int blobs_ = -1;
  bool is_direct_ = false;
  std::uint64_t blobs_end_ = 0;
  std::uint32_t parts_[kMostParts] = {};  // later ones than part 0 that are there
  std::size_t part_count_ = 0;
  std::atomic<int> error_{0};
  std::atomic<int> blob_error_{0};
};

}  // namespace lockstep::recorder
