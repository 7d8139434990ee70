// The part of recorder.h that begins and ends a recording, and what happens when the library is loaded.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep/recorder.h"

#include "facts.h"
#include "visit.h"

namespace lockstep::recorder {
namespace {

void note_framework(const lockstep_rank_facts& facts) {
  if (facts.framework == nullptr) return;
  const char* version = facts.version != nullptr ? facts.version : "";
  lockstep_set_attribute(facts.framework, ::strlen(facts.framework), version, ::strlen(version));
}

int begin_rank(const lockstep_rank_facts* given, int (*begin)(const lockstep_rank_facts&)) {
  const int kept_errno = errno;
  const auto facts = known_part(given);
  const int error = begin(facts);
  if (error == 0) note_framework(facts);
  errno = kept_errno;
  return error;
}

// Registered first of all, so it runs last: what other handlers still do is recorded.
void at_exit(int status, void*) {
  lockstep_end_rank(status & 0xff);
}

__attribute__((constructor)) void at_load() {
  const Settings settings = settings_from_environment();
  if (settings.folder[0] == '\0') return;
  Session::prepare(settings);
  ::on_exit(at_exit, nullptr);
}

}  // namespace
}  // namespace lockstep::recorder

std::uint32_t lockstep_recorder_abi(void) {
  return LOCKSTEP_RECORDER_ABI;
}

int lockstep_start_rank(const lockstep_rank_facts* given) {
  return lockstep::recorder::begin_rank(given, lockstep::recorder::Session::start);
}

int lockstep_restart_rank(const lockstep_rank_facts* given) {
  return lockstep::recorder::begin_rank(given, lockstep::recorder::Session::restart);
}

int lockstep_is_recording(void) {
  const lockstep::recorder::Session* session = lockstep::recorder::Session::recording();
  return session == nullptr ? 0 : session->id();
}

void lockstep_end_rank(std::int32_t exit_status) {
  lockstep::recorder::Visit visit;
  if (!visit) return;
  visit->payload().drain();
  visit->writer().say_goodbye(exit_status);
}
