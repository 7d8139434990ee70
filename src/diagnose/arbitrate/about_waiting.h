// Symptoms that ranks show because of another rank.
#pragma once

#include "model/finding.h"

namespace lockstep::diagnose {

inline bool is_about_waiting(const model::Finding& finding) {
  switch (finding.leaf) {
    case model::Leaf::kSetupHang:
    case model::Leaf::kPrepHang:
    case model::Leaf::kPerfHang:
    case model::Leaf::kRunComm:
    case model::Leaf::kPrepComm:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep::diagnose
