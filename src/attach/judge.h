// Does the job hang, and who began it? From where its ranks stood in several looks.
#pragma once

#include <string>
#include <vector>

#include "attach/look.h"
#include "model/finding.h"

namespace lockstep::attach {

// Ranks that are at the same place and do the same.
struct Group {
  std::vector<int> ranks;
  std::string doing;             // "waiting", "working", "stopped by a signal"
  std::string place;             // "all_reduce < train.py:50 in main"
  std::string loops;             // "step 4", where it is the same for all of them
  std::optional<Seconds> since;  // the shortest time for which one of them has not run
};

struct Judgement {
  model::Verdict verdict;
  std::vector<Group> groups;  // the largest first
  // It looks like a hang that has not lasted long enough to be called one: another look will tell.
  bool needs_longer_look = false;
  std::string summary;  // what there is to say where nothing is wrong
};

Judgement judge(const JobLook& look);

}  // namespace lockstep::attach
