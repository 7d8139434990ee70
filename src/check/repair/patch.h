// Edits carried out: in the launch where each value stands, in the facts of the hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/repair/situation.h"

namespace lockstep::repair {

// From the lightest to the heaviest.
enum class EditKind : std::uint8_t { kEnvironment, kLaunch, kFirewall, kSystem };

// One value that a repair changes, before it is known in which file or command it stands.
struct Edit {
  EditKind kind = EditKind::kEnvironment;
  std::optional<std::size_t> host = {};         // kEnvironment, kFirewall, kSystem; empty: every host
  std::optional<std::size_t> launch = {};       // kLaunch; empty: every launch
  std::optional<config::FieldPath> field = {};  // kLaunch
  std::string name = {};                        // kEnvironment: the variable; kSystem: the setting ("shm")
  std::optional<std::string> value = {};        // nothing: it is taken away
};

struct FileChange {
  std::string file = {};
  std::string before = {};
  std::string after = {};
};

// What one host must be given besides the launch.
struct HostChange {
  std::string host;
  EditKind kind = EditKind::kEnvironment;
  std::string command;  // "export GLOO_SOCKET_IFNAME=eth0"
  // kEnvironment: the same in parts; an empty value of a variable that is unset.
  std::string variable = {};
  std::optional<std::string> value = {};
  std::optional<std::string> value_before = {};
  FileChange file = {};  // of the host, that the command changes; often none
};

struct Patched {
  Situation situation;
  std::vector<HostChange> hosts = {};
  std::vector<std::string> refused = {};  // edits that have no place: in words
};

// kFirewall edits say only on which hosts rules may be added; open_firewalls() makes them.
Patched patched(const Situation& situation, std::span<const Edit> edits);

}  // namespace lockstep::repair
