#include "cli/program_text.h"

namespace lockstep::cli {

std::string_view version() {
  return LOCKSTEP_VERSION;
}

}  // namespace lockstep::cli
