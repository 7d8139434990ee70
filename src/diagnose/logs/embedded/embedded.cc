#include "diagnose/logs/embedded.h"

#include "base/embed.h"

LOCKSTEP_EMBED(guess, LOCKSTEP_GUESS_MODEL)
LOCKSTEP_EMBED(confidence, LOCKSTEP_CONFIDENCE_MODEL)

namespace lockstep::logs {

std::string_view embedded_guess_model() {
  return {lockstep_guess_begin, lockstep_guess_end};
}

std::string_view embedded_confidence_model() {
  return {lockstep_confidence_begin, lockstep_confidence_end};
}

}  // namespace lockstep::logs
