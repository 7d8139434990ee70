// What rules ask of a finding before they compare it with others, and how sure is sure enough.
#pragma once

#include <vector>

#include "diagnose/arbitrate/story.h"
#include "model/finding.h"

namespace lockstep::diagnose {

// Confidence from which a printed error may stand before what the ranks show. That of logs is fitted on
// labelled jobs: clearly above even odds, as a wrong cause in front hides a right one. Held by
// LikelihoodRules.APrintedErrorComesFirstFromSixtyPercentOn.
inline constexpr double kSure = 0.6;

// A printed error that would explain why a rank was lost stands before the loss from here on, though nobody
// knows who printed it. Held by LikelihoodRules.AnErrorThatNobodySignedExplainsTheLostRank.
inline constexpr double kLikelyReason = 0.4;

// From here on more likely than not. Below it the verdict asks for more input. Held by
// JobEndRules.MoreIsAskedForWhereTheRanksShowNothingClear.
inline constexpr double kClear = 0.5;

// What a launcher's word about the signal it got is worth once the ranks went as well. Held by
// JobEndRules.WhatTheDeathSignalExplainsIsTheEnd.
inline constexpr double kConfirmedSignal = 0.75;

// What an exception of the script is worth whose rank then ended by its own status: how it ended is certain,
// and that an earlier fault raised the exception is left. Held by
// OneStory.TheExitStatusOfTheRankConfirmsItsException.
inline constexpr double kSeenAndConfirmed = 0.9;

// A misfit whose odd rank is named at this confidence is more than the framework's word that some do not
// fit. Below it, of two ranks neither is the odd one. Held by
// LikelihoodRules.WhatFollowsFromCallsThatDoNotFit.
inline constexpr double kNamesTheOddOne = 0.9;

// Symptoms that ranks show because of another rank.
bool is_about_waiting(const model::Finding& finding);

// There is a line to show.
bool is_printed(const model::Finding& finding);

// A launcher names the signal that ended a process in its own log, and the rank elsewhere.
bool names_no_rank(const model::Finding& finding);

bool only_tells_how_a_process_ended(const model::Finding& finding);

// The others wait for a rank that is no more: whatever ended it is the reason.
bool is_a_lost_rank(const model::Finding& finding);

// By itself, or since the way a process ended says the same: two witnesses who agree are believed even where
// each alone would be doubted. Never a guess: what only resembles a fault stands behind what shows one.
bool is_sure(const model::Finding& finding, const std::vector<Claim>& ranks);

// The first that is sure and shows who waited for whom; null where none does.
model::Finding* proof_of_waiting(std::vector<Claim>& ranks);

bool is_clear(const std::vector<model::Finding>& findings);

}  // namespace lockstep::diagnose
