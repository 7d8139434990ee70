// The part of payload.h about random bytes of the system. Processes take them long before they are known to
// be a rank: until then they wait here.
#include <atomic>
#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lockstep/payload.h"

#include "entropy.h"
#include "recorder/core/entropy_log.h"
#include "recorder/core/recorded_entropy.h"
#include "recorder/core/text.h"
#include "recorder/core/try_lock.h"
#include "visit.h"

namespace lockstep::recorder {
namespace {

constinit EntropyLog early{};
constinit RecordedEntropy recorded{};
bool has_opened = false;
constinit std::atomic<bool> is_locked{false};

bool is_main_thread() {
  return ::syscall(SYS_gettid) == ::getpid();
}

bool write_path(char (&path)[PATH_MAX], const Settings& settings) {
  TextBuilder builder(path, sizeof path);
  builder.add(settings.replay).add("/" LOCKSTEP_PAYLOAD_FOLDER "/rank_").add_number(settings.replay_rank, 5);
  builder.add(".restart_").add_number(settings.replay_restart).add(LOCKSTEP_PAYLOAD_FILE_EXTENSION);
  return builder.fits();
}

void keep(const void* data, std::size_t bytes) {
  const Visit visit;
  if (!visit) {
    if (Session::recording() == nullptr) early.add(data, bytes, is_main_thread());
    return;
  }
  if (visit->payload().mode() != LOCKSTEP_PAYLOAD_KEEPS) return;
  const lockstep_payload_entropy head{static_cast<std::uint32_t>(bytes), is_main_thread() ? 1U : 0U};
  visit->payload().keeper().keep_entropy(head, data);
}

bool serve(const Settings& settings, void* to, std::size_t bytes) {
  if (!has_opened) {
    char path[PATH_MAX];
    has_opened = true;
    if (write_path(path, settings)) recorded.open(path);
  }
  return recorded.take(to, bytes, is_main_thread());
}

}  // namespace

void hand_over_entropy(PayloadKeeper& keeper) {
  const TryLock lock(is_locked);
  if (!lock.held()) return;
  early.take(
      [&](const lockstep_payload_entropy& head, const void* data) { keeper.keep_entropy(head, data); });
}

}  // namespace lockstep::recorder

void lockstep_keep_entropy(const void* data, std::size_t bytes) {
  using namespace lockstep::recorder;
  const Settings& settings = Session::settings();
  if (!settings.wants_payload || settings.replay[0] != '\0') return;
  const int kept_errno = errno;
  if (const TryLock lock(is_locked); lock.held()) keep(data, bytes);
  errno = kept_errno;
}

int lockstep_serve_entropy(void* to, std::size_t bytes) {
  using namespace lockstep::recorder;
  const Settings& settings = Session::settings();
  if (settings.replay[0] == '\0') return 0;
  const int kept_errno = errno;
  const TryLock lock(is_locked);
  const bool is_served = lock.held() && serve(settings, to, bytes);
  errno = kept_errno;
  return is_served ? 1 : 0;
}
