#include "base/embed.h"
#include "diagnose/logs/arbiter.h"

LOCKSTEP_EMBED(arbiter, LOCKSTEP_ARBITER)

namespace lockstep::logs {

std::string_view embedded_arbiter() {
  return {lockstep_arbiter_begin, lockstep_arbiter_end};
}

}  // namespace lockstep::logs
