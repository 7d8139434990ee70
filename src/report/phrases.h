// A verdict in words, the same in every format for people. All of it is safe for a terminal: what came from
// a file is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace lockstep::report {

// A reporter never refuses a verdict: confidence outside 0 to 1 counts as the nearer bound, NaN as 0.
double bounded_confidence(double confidence);

std::string describe_confidence(double confidence);  // "almost certain (97%)"

// "rank 3", "ranks 0-2 and 4-7"; a list too long to read is cut and counted. "no rank" when empty.
std::string describe_ranks(const std::vector<int>& ranks);

// "Root cause: rank 3. Affected: ranks 0-2 and 4-7." Empty when no rank is known.
std::string describe_who(const model::Finding& finding);

// "Root cause: rank 3. Affected: ranks 0-2 and 4-7. Almost certain (97%)."
std::string who_and_how_sure(const model::Finding& finding);

inline constexpr std::string_view kFollowersHeading = "Consequences and other signs";

// A cause, what followed from it, and what else was seen of it.
struct Story {
  const model::Finding* cause = nullptr;
  std::vector<const model::Finding*> followers;
};

// "Then:" before what the cause led to, "Also:" before another sign of it.
std::string_view relation_to_cause(const model::Finding& follower);

// In the order of their causes. Pointers into the verdict.
std::vector<Story> stories_of(const model::Verdict& verdict);

// "train.py:44 in load (rank 2)"
std::string describe_code_place(const model::CodePlace& place);

// "pytorch over nccl, 8 ranks on 1 host; input from ranks 0-2 and 4-7". Empty when nothing is known.
std::string describe_job(const model::JobSummary& job);

// "rank3.log:1202"; "(no file)" when the evidence has none.
std::string describe_place(const model::Evidence& evidence);

// "rank 3, inferred": what is known beside the place. Empty for evidence simply seen, of no rank.
std::string describe_origin(const model::Evidence& evidence);

// Where reasons were asked for and no rule changed anything.
inline constexpr std::string_view kNothingToDecide =
    "Nothing had to be weighed: the findings stand as they were found.";

// "mem.gpu comes before desync.missing_rank: what was printed ... (printed_error_first)"
std::string describe_decision(const model::Decision& decision);

// The finer code, or the leaf for a finding that has none.
std::string describe_code(const model::Finding& finding);

}  // namespace lockstep::report
