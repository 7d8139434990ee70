// One verdict from what the ranks did, what was printed and how the job ended. An ordered table of named
// rules does it: each works on what the ones before it left, and leaves a decision for whatever it changes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diagnose/arbitrate/story.h"
#include "model/finding.h"
#include "model/job.h"

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

// What a job's end, and how far it came, say about its findings.

JobFate fate_of(const model::Job& job);

// What whoever ran the job said of an end from outside, taken out of what was seen live.
std::optional<model::Finding> take_interruption(std::vector<model::Finding>& seen_live);

// Takes out printed failures of programs, packages and set-up: they would have ended a process, so a job that
// exited cleanly caught them; and guesses from the words of lines that no entry knows. What a job can suffer
// from without ending stays: slowness, results, how it uses its ranks.
void drop_caught_failures(std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
