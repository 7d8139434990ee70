// One value that a repair changes, before it is known in which file or command it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::repair {

// From the lightest to the heaviest.
enum class EditKind : std::uint8_t { kEnvironment, kLaunch, kFirewall, kSystem };

struct Edit {
  EditKind kind = EditKind::kEnvironment;
  std::optional<std::size_t> host = {};    // kEnvironment, kFirewall, kSystem; empty: every host
  std::optional<std::size_t> launch = {};  // kLaunch; empty: every launch
  // The variable; the path of the launch's field (config/fields.h); the setting of the system ("shm").
  std::string name = {};
  std::optional<std::string> value = {};  // nothing: it is taken away
};

}  // namespace lockstep::repair
