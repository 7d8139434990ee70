#include "base/embed.h"
#include "diagnose/logs/confidence.h"

LOCKSTEP_EMBED(guess, LOCKSTEP_GUESS_MODEL)
LOCKSTEP_EMBED(confidence, LOCKSTEP_CONFIDENCE_MODEL)

namespace lockstep::logs {

JudgeData embedded_judge_data() {
  return {{lockstep_guess_begin, lockstep_guess_end}, {lockstep_confidence_begin, lockstep_confidence_end}};
}

}  // namespace lockstep::logs
