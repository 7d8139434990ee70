#include "diagnose/logs/judge_data.h"

#include "diagnose/logs/embedded.h"

namespace lockstep::logs {

JudgeData embedded_judge_data() {
  return {embedded_guess_model(), embedded_confidence_model()};
}

}  // namespace lockstep::logs
