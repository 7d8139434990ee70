// What an exception that a framework's own Python code raised is about, told by the part of the framework
// that raised it. For texts that no entry knows: modules keep their names longer than messages their words.
#pragma once

#include <optional>
#include <span>

#include "diagnose/logs/traceback.h"
#include "model/leaf.h"

namespace lockstep::logs {

// Of the first exception that was raised in a part that is known; nullopt where there is none.
std::optional<model::Leaf> library_place_in(std::span<const RaisedException> raised);

}  // namespace lockstep::logs
