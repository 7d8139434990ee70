// Why an attempt ended: a kind, by which the service decides what follows, and the sentence that users read.
// Whoever decides an end takes its reason from here; no code looks into the sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::service {

enum class EndKind : std::uint8_t {
  kUnknown,           // none was decided, or the record is of a version that had no kinds
  kRankFailed,        // a rank ended badly by itself
  kExitStatus,        // the job ended badly, and no rank did by itself
  kMemoryLimit,       // at the memory limit of a rank or of the scheduler
  kTimeLimit,         // at the time limit of the job or of the scheduler
  kHung,              // nothing could go on
  kSilent,            // ranks gave no sign of life
  kPreempted,         // the scheduler took its place
  kNodeLost,          // the scheduler lost a node
  kCancelled,         // by its user
  kCancelledOutside,  // in the scheduler, by somebody else
  kRefused,           // by the scheduler
  kNotStarted,        // its ranks could not be started, or never were
  kSupervisorLost,    // nobody wrote down how it ended
  kToGrow             // ended by the service, to go on with more ranks
};

std::string_view word_for(EndKind kind);        // "time_limit"
EndKind end_kind_named(std::string_view word);  // kUnknown for a word that is not known

struct EndReason {
  EndKind kind = EndKind::kUnknown;
  std::string text = {};  // for people

  bool is_empty() const { return text.empty(); }
  bool operator==(const EndReason&) const = default;

  static EndReason hung();
  static EndReason silent(std::string_view ranks, std::int64_t seconds);
  static EndReason time_limit(int seconds);
  static EndReason time_limit_of(std::string_view scheduler);
  static EndReason memory_limit(int rank, std::string_view limit);
  static EndReason memory_limit_of_pod(int rank);
  static EndReason memory_limit_of(std::string_view scheduler);
  static EndReason exit_status(int status);
  static EndReason rank_status(int rank, int status);
  static EndReason rank_signal(int rank, int signal);
  static EndReason pod_status(int rank, int status, std::string_view last_words);
  static EndReason preempted(std::string_view scheduler, std::string_view how = {});
  static EndReason node_lost(std::string_view scheduler, std::string_view how = {});
  static EndReason cancelled();
  static EndReason cancelled_outside(std::string_view scheduler);
  static EndReason refused(std::string_view scheduler, std::string_view why);
  static EndReason refused(const Error& error);  // what and why
  static EndReason never_started(std::string_view job);
  static EndReason stopped_before_start();
  static EndReason node_not_started(int node, std::string_view why);
  static EndReason pod_not_started(int rank, std::string_view reason, std::string_view message);
  static EndReason not_started(const Error& error);
  static EndReason supervisor_lost();
  static EndReason damaged_end();
  static EndReason to_grow(std::string_view how);
};

}  // namespace lockstep::service
