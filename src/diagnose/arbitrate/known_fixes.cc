#include "diagnose/arbitrate/known_fixes.h"

#include "diagnose/ranks/fixes.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const catalogue::Symptom& symptom) {
  return symptom.fixes.empty() ? ranks::fixes_for(symptom.code) : symptom.fixes;
}

}  // namespace lockstep::diagnose
