// The judge that learned what counts: a linear model over the features of a log says whether the job failed,
// of which kind the fault is, whether it needs several ranks and what repairs it, each with a probability.
// Made by tools/train_judge from labelled logs; it holds weights under hashes, and no text.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/logs/features.h"
#include "model/finding_code.h"
#include "model/fix.h"

namespace lockstep::logs {

inline constexpr std::size_t kLeaves = 30;
inline constexpr std::size_t kFixPatterns = 21;

// What a feature adds to an answer, in its logarithm.
struct Reason {
  std::string feature;
  double weight = 0;
};

struct Opinion {
  double failed = 0;                            // probability that something went wrong
  std::array<double, kLeaves> leaves = {};      // by model::Leaf, of a job that failed; their sum is 1
  double distributed = 0;                       // probability that it needs several ranks
  std::array<double, kFixPatterns> fixes = {};  // by model::FixPattern: probability that it repairs the fault
  model::Leaf best = model::Leaf::kRunOther;
  model::Leaf runner_up = model::Leaf::kRunOther;
  std::vector<Reason>
      reasons;  // that speak for `best` against `runner_up`, the heaviest first; parts of words are left out

  double of(model::Leaf leaf) const { return leaves[static_cast<std::size_t>(leaf)]; }
};

// The embedded model.
std::string_view embedded_arbiter();

// `model` as tools/train_judge writes it; nothing is copied. An opinion of a model that cannot be read is
// empty.
Opinion opinion_of(std::string_view model, const Features& features);

// The reasons as half a sentence: what speaks for the likeliest leaf against the runner-up.
std::string reasons_in_words(const Opinion& opinion);

// How often an answer `leaf` is right where the arbiter thinks so: between 0 and 1, two decimals.
double confidence_in(std::string_view model, const Opinion& opinion, model::Leaf leaf, bool known);

}  // namespace lockstep::logs
