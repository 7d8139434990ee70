#include "diagnose/arbitrate/arbitrate.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "diagnose/arbitrate/rules.h"

namespace lockstep::diagnose {
namespace {

constexpr Rule kRules[] = {
    // How the job ended changes what its findings mean, so this comes before they are compared.
    {"interruption", "a job that was told to end neither hung nor lost ranks: both are that end",
     apply_interruption},
    {"world_size_one", "processes that each train in a world of one explain whatever else they show",
     apply_world_size_one},
    {"silent_processes", "processes that have fallen silent stand by their confidence among what was printed",
     apply_silent_processes},
    {"death_signal",
     "ranks that went when the launcher was told to end, and waits nobody saw before, are that end",
     apply_death_signal},
    {"earlier_attempt", "the last attempt ended well, so what earlier ones printed is over",
     apply_earlier_attempt},
    {"clean_exit", "every rank exited with status 0, so failures that were printed had been caught",
     apply_clean_exit},
    {"ranks_had_met",
     "ranks that worked together were connected, so a failed connection is how they noticed another's error",
     apply_ranks_had_met},
    // Here what the ranks show is final as far as it goes without the logs.
    {"collect_next", "more is asked for only where the ranks' records show nothing clear",
     apply_collect_next},

    {"one_line_one_finding", "a printed line tells of one fault, and the likelier finding has it",
     apply_one_line_one_finding},

    // Pairs that are one event. Ranks are named before complaints are folded, which compares them.
    {"told_twice", "what the ranks' records show and a log says as well is one finding", apply_told_twice},
    {"crash_of_lost_rank", "a crash printed without a rank is that of the one rank that died",
     apply_crash_of_lost_rank},
    {"launchers_word", "the launcher waits for its processes, so it knows which was killed first",
     apply_launchers_word},
    {"killed_process", "that a process was killed is how a lost rank ended, and says nothing about memory",
     apply_killed_process},
    {"exit_after_exception",
     "the exception a script printed and the exit status of the rank that raised it confirm each other",
     apply_exit_after_exception},
    // After those before it, which take away what is no cause; before complaints go, which may be one.
    {"printed_cause", "a printed error is a cause from 60 % on, or where the way a process ended confirms it",
     apply_printed_cause},
    {"complaint_about_waiting", "whom the ranks waited for proves a printed complaint about waiting",
     apply_complaint_about_waiting},
    {"rank_of_the_failure", "a failure printed without a rank is that of the one rank that failed",
     apply_rank_of_the_failure},
    {"exit_status", "why a process ended is more than that it did", apply_exit_status},

    // What is left is put in order.
    {"printed_error_first", "an error that was printed comes before the waiting it caused",
     apply_printed_error_first},
    {"reason_of_a_loss", "what a lost rank printed is why it was lost, however doubtful by itself",
     apply_reason_of_a_loss},
    {"calls_that_do_not_fit",
     "crashes and broken graphs follow from collective calls that do not fit together",
     apply_calls_that_do_not_fit},
    {"bare_exit_status", "that a process ended says less than a line that was printed",
     apply_bare_exit_status},
    {"guesses_last", "a guess from words comes behind whatever has a line to show", apply_guesses_last},
    {"one_story", "what the first finding explains is told below it, and where it is sure no guess beside it",
     apply_one_story},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

void apply(const Rule& rule, Story& story) {
  const std::size_t known = story.decisions.size();
  rule.apply(story);
  for (std::size_t i = known; i < story.decisions.size(); ++i) {
    story.decisions[i].rule = rule.name;
    story.decisions[i].reason = rule.decides;
  }
}

Arbitration arbitrate(Story story) {
  for (const Rule& rule : rules()) apply(rule, story);
  Arbitration arbitration;
  for (const Claim* claim : story.in_order()) arbitration.findings.push_back(claim->finding);
  arbitration.limits = std::move(story.limits_of_ranks);
  std::ranges::move(story.limits_of_logs, std::back_inserter(arbitration.limits));
  arbitration.decisions = std::move(story.decisions);
  return arbitration;
}

}  // namespace lockstep::diagnose
