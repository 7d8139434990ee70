// Which framework trains, told from what a script imports.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "service/job/job.h"

namespace lockstep::service {

struct Guess {
  Framework framework = Framework::kPlain;
  std::string reason;  // "line 8 imports torch"
};

// Horovod comes before the framework whose tensors it reduces; Keras follows its backend, which the
// environment or the script names.
Guess guess_framework(std::string_view script, const std::map<std::string, std::string>& environment);

}  // namespace lockstep::service
