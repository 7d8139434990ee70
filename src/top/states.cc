#include "top/states.h"

#include "base/check.h"

namespace lockstep::top {
namespace {

struct Entry {
  watch::RankState state;
  std::string_view word;
  std::string_view id;
  Ink ink;
};

using watch::RankState;

constexpr Entry kStates[] = {
    {RankState::kStarting, "starting", "starting", Ink::kDim},
    {RankState::kComputing, "computing", "computing", Ink::kGood},
    {RankState::kCommunicating, "in call", "communicating", Ink::kBusy},
    {RankState::kWaiting, "waiting", "waiting", Ink::kWarning},
    {RankState::kLate, "late", "late", Ink::kAlarm},
    {RankState::kStopped, "stopped", "stopped", Ink::kAlarm},
    {RankState::kGone, "gone", "gone", Ink::kAlarm},
    {RankState::kEnded, "ended", "ended", Ink::kDim},
};

const Entry& entry_of(RankState state) {
  const auto index = static_cast<std::size_t>(state);
  CHECK(index < std::size(kStates) && kStates[index].state == state, "every state has its entry, in order");
  return kStates[index];
}

}  // namespace

std::string_view word_of(RankState state) {
  return entry_of(state).word;
}

std::string_view id_of(RankState state) {
  return entry_of(state).id;
}

Ink ink_of(RankState state) {
  return entry_of(state).ink;
}

}  // namespace lockstep::top
