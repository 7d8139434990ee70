// One verdict from what the ranks did, what was printed and how the job ended. An ordered table of named
// rules does it: each works on what the ones before it left, and leaves a decision for whatever it changes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "diagnose/arbitrate/story.h"
#include "model/finding.h"

namespace lockstep::diagnose {

struct Rule {
  std::string_view name;     // stable: `diagnose --explain` shows it
  std::string_view decides;  // the reason it gives, a sentence without its capital and full stop
  void (*apply)(Story& story);
};

// In the order in which they apply. README.md says why the order is what it is.
std::span<const Rule> rules();

// The order of the findings is that of likelihood for the whole. What the ranks did proves who waited for
// whom; what was printed may say why. So an error that some rank printed comes before the waiting it caused,
// and printed complaints about waiting give way to the proof.
struct Arbitration {
  std::vector<model::Finding> findings;
  std::vector<std::string> limits;
  std::vector<model::Decision> decisions;
};
Arbitration arbitrate(Story story);

// What one rule alone makes of it.
void apply(const Rule& rule, Story& story);

}  // namespace lockstep::diagnose
