// Ranks that have a group together and then train step after step without a word to each other: nobody
// averages their gradients, and each trains a model of its own.
#pragma once

#include <optional>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

// Only where every rank is recorded, met the others before its first step and trained many steps: methods
// that average seldom still do so within that many.
std::optional<model::Finding> find_lone_steps(const model::Job& job);

}  // namespace lockstep::ranks
