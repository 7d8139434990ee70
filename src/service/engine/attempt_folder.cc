#include "service/engine/attempt_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

// Locks of the open file, which children inherit; and which can be asked after without being taken.
std::optional<process::Descriptor> take_attempt(const AttemptFolder& folder) {
  process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  struct flock lock = whole_file();
  if (!file.is_open() || ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) return std::nullopt;
  return file;
}

bool is_taken(const AttemptFolder& folder) {
  const process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = whole_file();
  return file.is_open() && ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool mark_started(const AttemptFolder& folder) {
  const process::Descriptor mark(
      ::open(folder.started().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return mark.is_open() && base::write_all(mark.get(), std::to_string(::getpid()));
}

std::optional<std::int64_t> process_that_started(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.started(), 64);
  if (!text.ok()) return std::nullopt;
  return base::number_in<std::int64_t>(text.value()).value_or(0);
}

}  // namespace lockstep::service
