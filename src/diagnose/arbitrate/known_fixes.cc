#include "diagnose/arbitrate/known_fixes.h"

#include "catalogue/advice.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const catalogue::Symptom& symptom) {
  return symptom.fixes.empty() ? catalogue::fixes_for(symptom.code) : symptom.fixes;
}

}  // namespace lockstep::diagnose
