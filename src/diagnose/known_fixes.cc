#include "diagnose/known_fixes.h"

#include "analysis/fixes.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const symptoms::Symptom& symptom) {
  return symptom.fixes.empty() ? analysis::fixes_for(symptom.code) : symptom.fixes;
}

}  // namespace lockstep::diagnose
