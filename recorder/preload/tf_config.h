// TensorFlow's TF_CONFIG, a JSON text:
//   {"cluster": {"chief": ["h0:1"], "worker": ["h1:1", "h2:1"], "ps": [...]}, "task": {"type": "worker",
//   "index": 1}}
// Ranks are counted as TensorFlow does: the chief first, then the workers, then the parameter servers.
#pragma once

#include "rank_environment.h"

namespace lockstep::recorder {

// A rank of -1 when the text is not such a configuration, or the task (an evaluator) takes no part.
RankIdentity rank_from_tf_config(const char* text);

}  // namespace lockstep::recorder
