#include "model/fatal_leaf.h"

namespace lockstep::model {

bool is_fatal(Leaf leaf) {
  using enum Leaf;
  switch (leaf) {
    case kPkgBuild:
    case kPkgImport:
    case kSetupFail:
    case kRunComm:
    case kRunMem:
    case kRunDevice:
    case kRunGraph:
    case kRunTensor:
    case kRunCkpt:
    case kRunSegv:
    case kRunAttr:
    case kRunPath:
    case kRunNotimpl:
    case kRunOther:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep::model
