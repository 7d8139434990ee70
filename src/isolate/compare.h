// The judgement of a control run: does the job's fault remain when one rank runs alone?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/finding.h"

namespace lockstep::isolate {

// Whether two findings, of two runs, are about one fault. The same code is the same fault, unless the code
// only tells how a process ended or is a guess: then, and for different codes, a line of evidence must be the
// same in both. Exceptions that no entry knows are one fault where their type and the line of code are equal.
bool is_same_fault(const model::Finding& one, const model::Finding& other);

// A line of a log without what differs from run to run: what a launcher put before it, times, addresses,
// numbers.
std::string essence_of(std::string_view line);

enum class Outcome {
  kRemains,       // the job's fault shows with one rank: ordinary
  kGone,          // it does not: distributed
  kAnother,       // another fault shows, before the job's could
  kFaultAlone,    // there is no job to compare with, and one rank alone fails
  kNoFaultAlone,  // there is none, and one rank alone does well
  kCannotSay,
};

std::string_view id_of(Outcome outcome);  // "remains", as in JSON

// How the control run ended, and what its output shows.
struct ControlRun {
  int status = 0;  // as a shell tells it
  bool timed_out = false;
  bool was_interrupted = false;
  std::string end_in_words;  // "ended with status 0 after 12 s"
  std::string log;           // the file that holds its output
  model::Verdict verdict;
};

struct Comparison {
  Outcome outcome = Outcome::kCannotSay;
  std::string statement;  // one or two sentences
  // The job's findings with the scope that the control run proves and its evidence beside theirs; where no
  // job was given, those of the control run.
  model::Verdict verdict;
};

// `job` is the verdict about the failed job; nullopt when the user gave none.
Comparison compare(const ControlRun& control, const std::optional<model::Verdict>& job);

}  // namespace lockstep::isolate
