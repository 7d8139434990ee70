#include "symptoms/judge_data.h"

#include "symptoms/embedded.h"

namespace lockstep::symptoms {

JudgeData embedded_judge_data() {
  return {embedded_guess_model(), embedded_confidence_model()};
}

}  // namespace lockstep::symptoms
