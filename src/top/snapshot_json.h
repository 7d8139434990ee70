// A snapshot for programs: schema "lockstep-snapshot-v1", described in docs/verbs/top.md.
#pragma once

#include <string>
#include <string_view>

#include "run/watch/snapshot.h"

namespace lockstep::top {

inline constexpr std::string_view kSnapshotSchema = "lockstep-snapshot-v1";

// Indented JSON, always valid UTF-8. Figures that are not known are left out.
std::string encode_snapshot(const watch::Snapshot& snapshot);

}  // namespace lockstep::top
