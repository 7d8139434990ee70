// The states of ranks in words and inks.
#pragma once

#include <string_view>

#include "run/watch/snapshot.h"
#include "top/line.h"

namespace lockstep::top {

inline constexpr int kWidestState = 9;

std::string_view word_of(watch::RankState state);  // "in call"; at most kWidestState columns
std::string_view id_of(watch::RankState state);    // "communicating": as programs read it
Ink ink_of(watch::RankState state);

}  // namespace lockstep::top
