// Conditions that the ends of a mesh, each chosen among several, reach each other.
#pragma once

#include <string>
#include <vector>

#include "check/repair/repair_problem.h"
#include "check/repair/trouble.h"

namespace lockstep::repair {

struct Candidate {
  Literal chosen = {};
  flows::Mesh::End end = {};
  std::string words = {};  // "eth0 of host1"
};

// `mesh` gives the kind and the direction; its ends are those of the candidates. Candidates that all others
// treat alike share their conditions, so that sixty hosts on four networks need few.
void require_mesh(RepairProblem& problem, const Troubles& troubles, flows::Mesh mesh,
                  const std::vector<Candidate>& candidates);

}  // namespace lockstep::repair
