#include "service/engine/last_record.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {
namespace {

std::filesystem::path room_for(const std::filesystem::path& path) {
  std::filesystem::path room = path;
  room += ".room";
  return room;
}

}  // namespace

LastRecord::LastRecord(std::filesystem::path path, std::size_t bytes)
    : path_(std::move(path)),
      room_(room_for(path_)),
      file_(::open(room_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
  has_room_ = file_.is_open() && ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes)) == 0;
}

LastRecord::~LastRecord() {
  if (file_.is_open()) ::unlink(room_.c_str());
}

Result<void> LastRecord::write(std::string_view record) {
  if (!file_.is_open()) return base::write_file(path_, record);
  const bool is_written = ::lseek(file_.get(), 0, SEEK_SET) == 0 && base::write_all(file_.get(), record) &&
                          ::ftruncate(file_.get(), static_cast<off_t>(record.size())) == 0 &&
                          ::fsync(file_.get()) == 0 && ::rename(room_.c_str(), path_.c_str()) == 0;
  if (!is_written) return base::error_from_errno("cannot write", path_);
  file_.close();
  return {};
}

Result<void> LastRecord::write_patiently(std::string_view record, const std::function<bool()>& wait) {
  for (;;) {
    auto written = write(record);
    if (written.ok()) return written;
    const auto folder = is_there(path_.parent_path());
    if ((folder.ok() && !folder.value()) || !wait()) return written;
  }
}

}  // namespace lockstep::service
