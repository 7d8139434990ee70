// The rules of the table in arbitrate.cc, which says of each what it decides.
#pragma once

#include "diagnose/arbitrate/story.h"

namespace lockstep::diagnose {

// job_end.cc: how far the job came and how it ended.
void apply_interruption(Story& story);
void apply_world_size_one(Story& story);
void apply_silent_processes(Story& story);
void apply_death_signal(Story& story);
void apply_earlier_attempt(Story& story);
void apply_clean_exit(Story& story);
void apply_ranks_had_met(Story& story);
void apply_collect_next(Story& story);

// two_witnesses.cc: the same event, in the ranks' records and in the logs.
void apply_told_twice(Story& story);
void apply_crash_of_lost_rank(Story& story);
void apply_launchers_word(Story& story);
void apply_killed_process(Story& story);
void apply_printed_cause(Story& story);
void apply_complaint_about_waiting(Story& story);
void apply_rank_of_the_failure(Story& story);
void apply_exit_status(Story& story);

// likelihood.cc: what comes before what.
void apply_printed_error_first(Story& story);
void apply_reason_of_a_loss(Story& story);
void apply_calls_that_do_not_fit(Story& story);
void apply_bare_exit_status(Story& story);
void apply_guesses_last(Story& story);

// one_story.cc: one fault, told once.
void apply_one_line_one_finding(Story& story);
void apply_exit_after_exception(Story& story);
void apply_one_story(Story& story);

}  // namespace lockstep::diagnose
