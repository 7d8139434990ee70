#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/core/text.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kSmallestRing = std::size_t{1} << 20;

bool is_set_to(const char* name, const char* value) {
  const char* text = ::getenv(name);
  return text != nullptr && ::strcmp(text, value) == 0;
}

std::uint32_t number_variable(const char* name, std::uint32_t unset) {
  const char* text = ::getenv(name);
  std::uint64_t number = 0;
  if (text == nullptr || parse_number(text, number) == nullptr || number > UINT32_MAX) return unset;
  return static_cast<std::uint32_t>(number);
}

template <std::size_t size>
void copy_variable(const char* name, char (&field)[size]) {
  const char* text = ::getenv(name);
  if (text == nullptr || ::strlen(text) >= size) return;
  ::memcpy(field, text, ::strlen(text) + 1);
}

}  // namespace

std::size_t size_from_text(const char* text) {
  std::uint64_t number = 0;
  const char* rest = parse_number(text, number);
  if (rest == nullptr) return 0;
  int shift = 0;
  if (*rest == 'K' || *rest == 'k') shift = 10;
  if (*rest == 'M' || *rest == 'm') shift = 20;
  if (*rest == 'G' || *rest == 'g') shift = 30;
  if (shift != 0) ++rest;
  const bool is_size = *rest == '\0' && number <= (UINT64_MAX >> 1 >> shift);
  return is_size ? static_cast<std::size_t>(number << shift) : 0;
}

Settings settings_from_environment() {
  Settings settings;
  copy_variable("LOCKSTEP_RECORD", settings.folder);
  if (settings.folder[0] == '\0') return settings;
  copy_variable("LOCKSTEP_JOB", settings.job);
  const char* limit = ::getenv("LOCKSTEP_MAX_RECORD_SIZE");
  if (const std::size_t bytes = limit == nullptr ? 0 : size_from_text(limit); bytes != 0) {
    settings.max_bytes = bytes < kSmallestRing ? kSmallestRing : bytes;
    settings.is_ring = !is_set_to("LOCKSTEP_RECORD_MODE", "full");
  }
  settings.wants_checksums = is_set_to("LOCKSTEP_CHECKSUMS", "1");
  settings.stack_interval = number_variable("LOCKSTEP_STACK_INTERVAL", settings.stack_interval);
  settings.wants_payload = is_set_to("LOCKSTEP_PAYLOAD", "1");
  const char* memory = ::getenv("LOCKSTEP_PAYLOAD_MEMORY");
  if (const std::size_t bytes = memory == nullptr ? 0 : size_from_text(memory); bytes != 0) {
    settings.payload_memory = bytes;
  }
  settings.payload_steps = number_variable("LOCKSTEP_PAYLOAD_STEPS", 0);
  settings.payload_since_checkpoint = is_set_to("LOCKSTEP_PAYLOAD_SINCE_CHECKPOINT", "1");
  copy_variable("LOCKSTEP_REPLAY", settings.replay);
  settings.replay_rank = number_variable("LOCKSTEP_REPLAY_RANK", 0);
  settings.replay_restart = number_variable("LOCKSTEP_REPLAY_RESTART", 0);
  settings.replay_from_step = number_variable("LOCKSTEP_REPLAY_FROM_STEP", 0);
  return settings;
}

}  // namespace lockstep::recorder
