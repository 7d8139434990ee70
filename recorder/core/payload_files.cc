#include "payload_files.h"

#include <errno.h>
#include <fcntl.h>
#include <initializer_list>
#include <string.h>
#include <unistd.h>

#include "text.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kPage = LOCKSTEP_PAYLOAD_BLOB_ALIGNMENT;

struct PlacedBlobEntry {
  lockstep_payload_entry head;
  lockstep_payload_placed_blob body;
};

PlacedBlobEntry placed_blob_entry(const std::uint8_t (&hash)[16], std::size_t bytes, std::uint64_t offset) {
  PlacedBlobEntry entry{};
  entry.head.magic = LOCKSTEP_PAYLOAD_ENTRY_MAGIC;
  entry.head.type = LOCKSTEP_PAYLOAD_PLACED_BLOB;
  entry.head.bytes = sizeof entry.body;
  ::memcpy(entry.body.hash, hash, sizeof entry.body.hash);
  entry.body.bytes = bytes;
  entry.body.offset = offset;
  entry.head.check = lockstep_words_check(&entry.body, sizeof entry.body / 8, entry.head.bytes);
  return entry;
}

// How much of it was written before an error, which is in errno.
std::size_t write_at(int file, const char* data, std::size_t bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t wrote = ::pwrite(file, data + done, bytes - done, static_cast<off_t>(offset + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote == 0) errno = ENOSPC;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  return done;
}

// What is not whole goes; when that fails too, readers pass over it.
void cut(int file, std::uint64_t end) {
  if (::ftruncate(file, static_cast<off_t>(end)) != 0) return;
}

}  // namespace

bool PayloadFiles::write_path(char (&path)[PATH_MAX], std::uint32_t part, const char* extension) const {
  TextBuilder builder(path, sizeof path);
  builder.add(base_);
  if (part != 0) builder.add(LOCKSTEP_PAYLOAD_PART_MARK).add_number(part);
  return builder.add(extension).fits();
}

int PayloadFiles::make(std::uint32_t part, const char* extension, int flags) const {
  char path[PATH_MAX];
  if (!write_path(path, part, extension)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
}

int PayloadFiles::open(const char* base, const lockstep_payload_file& head) {
  if (!TextBuilder(base_, sizeof base_).add(base).fits()) return ENAMETOOLONG;
  head_ = head;
  file_ = make(0, LOCKSTEP_PAYLOAD_FILE_EXTENSION, O_EXCL);
  if (file_ < 0) return errno;
  return write_head(0, 0) ? 0 : error();
}

bool PayloadFiles::write_head(std::uint32_t part, std::uint64_t first_step) {
  head_.part = part;
  head_.first_step = first_step;
  head_.check = lockstep_words_check(&head_, sizeof head_ / 8 - 1, 0);
  file_end_ = 0;
  append(&head_, sizeof head_);
  return error() == 0;
}

void PayloadFiles::append(const void* entry, std::size_t bytes) {
  if (error() != 0) return;
  if (write_at(file_, static_cast<const char*>(entry), bytes, file_end_) == bytes) {
    file_end_ += bytes;
    return;
  }
  error_.store(errno, std::memory_order_relaxed);
  cut(file_, file_end_);
}

bool PayloadFiles::open_blobs() {
  if (blobs_ >= 0) return true;
  blobs_ = make(head_.part, LOCKSTEP_PAYLOAD_BLOBS_EXTENSION, O_DIRECT);
  is_direct_ = blobs_ >= 0;
  if (blobs_ < 0) blobs_ = make(head_.part, LOCKSTEP_PAYLOAD_BLOBS_EXTENSION, 0);
  blobs_end_ = 0;
  return blobs_ >= 0;
}

// For file systems that refuse direct writes only when they come.
bool PayloadFiles::leave_direct() {
  if (!is_direct_ || errno != EINVAL) return false;
  ::close(blobs_);
  is_direct_ = false;
  blobs_ = make(head_.part, LOCKSTEP_PAYLOAD_BLOBS_EXTENSION, 0);
  return blobs_ >= 0;
}

void PayloadFiles::append_blob(const std::uint8_t (&hash)[16], const char* data, std::size_t bytes) {
  if (error() != 0 || blob_error() != 0) return;
  const std::size_t room = (bytes + kPage - 1) / kPage * kPage;
  std::size_t done = 0;
  if (open_blobs()) {
    done = write_at(blobs_, data, room, blobs_end_);
    if (done < room && leave_direct()) done += write_at(blobs_, data + done, room - done, blobs_end_ + done);
  }
  if (done < room) {
    blob_error_.store(errno, std::memory_order_relaxed);
    if (blobs_ >= 0) cut(blobs_, blobs_end_);
    return;
  }
  const PlacedBlobEntry entry = placed_blob_entry(hash, bytes, blobs_end_);
  blobs_end_ += room;
  append(&entry, sizeof entry);
}

void PayloadFiles::begin_part(std::uint32_t number, std::uint64_t first_step) {
  if (error() != 0 || number <= head_.part) return;
  const int file = make(number, LOCKSTEP_PAYLOAD_FILE_EXTENSION, O_EXCL);
  if (file < 0) return error_.store(errno, std::memory_order_relaxed);
  ::close(file_);
  if (blobs_ >= 0) ::close(blobs_);
  file_ = file;
  blobs_ = -1;
  write_head(number, first_step);
  if (part_count_ == kMostParts) remove_parts_below(parts_[1]);
  parts_[part_count_++] = number;
}

void PayloadFiles::remove_part(std::uint32_t number) const {
  char path[PATH_MAX];
  for (const char* extension : {LOCKSTEP_PAYLOAD_BLOBS_EXTENSION, LOCKSTEP_PAYLOAD_FILE_EXTENSION}) {
    if (write_path(path, number, extension)) ::unlink(path);
  }
}

void PayloadFiles::remove_parts_below(std::uint32_t number) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < part_count_; ++i) {
    if (parts_[i] < number) {
      remove_part(parts_[i]);
    } else {
      parts_[kept++] = parts_[i];
    }
  }
  part_count_ = kept;
}

}  // namespace lockstep::recorder
