// What the environment asks of the recorder: docs/recorder.md lists the variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits.h>

namespace lockstep::recorder {

struct Settings {
  char folder[PATH_MAX] = {};  // "": nothing is recorded
  char job[64] = {};
  std::size_t max_bytes = std::size_t{16} << 30;
  bool is_ring = false;
  bool wants_checksums = false;
  std::uint32_t stack_interval = 16;  // 0: no stacks
  bool wants_payload = false;
  std::size_t payload_memory = std::size_t{1} << 30;
  std::uint32_t payload_steps = 0;  // the last so many are kept; 0: all
  bool payload_since_checkpoint = false;
  char replay[PATH_MAX] = {};  // the recording that is replayed; "": none
  std::uint32_t replay_rank = 0;
  std::uint32_t replay_restart = 0;
  std::uint32_t replay_from_step = 0;  // the script resumes after so many; 0: from the start
};

Settings settings_from_environment();

// "64M", "2G", "4096"; 0 when it is no size.
std::size_t size_from_text(const char* text);

}  // namespace lockstep::recorder
