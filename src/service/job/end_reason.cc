#include "service/job/end_reason.h"

#include <utility>

#include <fmt/format.h>

namespace lockstep::service {
namespace {

constexpr std::pair<EndKind, std::string_view> kEndKinds[] = {
    {EndKind::kUnknown, "unknown"},
    {EndKind::kRankFailed, "rank_failed"},
    {EndKind::kExitStatus, "exit_status"},
    {EndKind::kMemoryLimit, "memory_limit"},
    {EndKind::kTimeLimit, "time_limit"},
    {EndKind::kHung, "hung"},
    {EndKind::kSilent, "silent"},
    {EndKind::kPreempted, "preempted"},
    {EndKind::kNodeLost, "node_lost"},
    {EndKind::kCancelled, "cancelled"},
    {EndKind::kCancelledOutside, "cancelled_outside"},
    {EndKind::kRefused, "refused"},
    {EndKind::kNotStarted, "not_started"},
    {EndKind::kSupervisorLost, "supervisor_lost"},
    {EndKind::kToGrow, "to_grow"},
};

std::string with_detail(std::string what, std::string_view how) {
  return how.empty() ? what : fmt::format("{}: {}", what, how);
}

}  // namespace

std::string_view word_for(EndKind kind) {
  for (const auto& [value, word] : kEndKinds) {
    if (value == kind) return word;
  }
  return "unknown";
}

EndKind end_kind_named(std::string_view word) {
  for (const auto& [value, known] : kEndKinds) {
    if (known == word) return value;
  }
  return EndKind::kUnknown;
}

EndReason EndReason::hung() {
  return {EndKind::kHung, "the job could not go on and was ended"};
}

EndReason EndReason::silent(std::string_view ranks, std::int64_t seconds) {
  return {EndKind::kSilent, fmt::format("{} gave no sign of life for {} s", ranks, seconds)};
}

EndReason EndReason::time_limit(int seconds) {
  return {EndKind::kTimeLimit, fmt::format("ended at its time limit of {} s", seconds)};
}

EndReason EndReason::time_limit_of(std::string_view scheduler) {
  return {EndKind::kTimeLimit, fmt::format("ended by {} at its time limit", scheduler)};
}

EndReason EndReason::memory_limit(int rank, std::string_view limit) {
  return {EndKind::kMemoryLimit, fmt::format("rank {} went over its memory limit of {}", rank, limit)};
}

EndReason EndReason::memory_limit_of_pod(int rank) {
  return {EndKind::kMemoryLimit, fmt::format("rank {} was ended at its memory limit", rank)};
}

EndReason EndReason::memory_limit_of(std::string_view scheduler) {
  return {EndKind::kMemoryLimit, fmt::format("ended by {} at its memory limit", scheduler)};
}

EndReason EndReason::exit_status(int status) {
  return {EndKind::kExitStatus, fmt::format("ended with status {}", status)};
}

EndReason EndReason::rank_status(int rank, int status) {
  return {EndKind::kRankFailed, fmt::format("rank {} ended with status {}", rank, status)};
}

EndReason EndReason::rank_signal(int rank, int signal) {
  return {EndKind::kRankFailed, fmt::format("rank {} was ended by signal {}", rank, signal)};
}

EndReason EndReason::pod_status(int rank, int status, std::string_view last_words) {
  return {
      EndKind::kRankFailed,
      with_detail(fmt::format("the pod of rank {} ended with status {} before its rank did", rank, status),
                  last_words)};
}

EndReason EndReason::preempted(std::string_view scheduler, std::string_view how) {
  return {EndKind::kPreempted, with_detail(fmt::format("preempted by {}", scheduler), how)};
}

EndReason EndReason::node_lost(std::string_view scheduler, std::string_view how) {
  return {EndKind::kNodeLost, with_detail(fmt::format("{} lost a node of the job", scheduler), how)};
}

EndReason EndReason::cancelled() {
  return {EndKind::kCancelled, "cancelled"};
}

EndReason EndReason::cancelled_outside(std::string_view scheduler) {
  return {EndKind::kCancelledOutside, fmt::format("cancelled in {} by somebody else", scheduler)};
}

EndReason EndReason::refused(std::string_view scheduler, std::string_view why) {
  return {EndKind::kRefused, fmt::format("{} refused it: {}", scheduler, why)};
}

EndReason EndReason::refused(const Error& error) {
  return {EndKind::kRefused, fmt::format("{}: {}", error.what, error.why)};
}

EndReason EndReason::never_started(std::string_view job) {
  return {EndKind::kNotStarted, fmt::format("{} never started", job)};
}

EndReason EndReason::stopped_before_start() {
  return {EndKind::kNotStarted, "it was to end before it started"};
}

EndReason EndReason::node_not_started(int node, std::string_view why) {
  return {EndKind::kNotStarted, fmt::format("node {} could not start its ranks: {}", node, why)};
}

EndReason EndReason::pod_not_started(int rank, std::string_view reason, std::string_view message) {
  return {EndKind::kNotStarted,
          fmt::format("Kubernetes cannot start rank {}: {}: {}", rank, reason, message)};
}

EndReason EndReason::not_started(const Error& error) {
  return {EndKind::kNotStarted, fmt::format("{}: {}: {}", error.what, error.where, error.why)};
}

EndReason EndReason::supervisor_lost() {
  return {EndKind::kSupervisorLost, "the process that kept this attempt was killed"};
}

EndReason EndReason::damaged_end() {
  return {EndKind::kUnknown, "its last record, end.json, is damaged"};
}

EndReason EndReason::to_grow(std::string_view how) {
  return {EndKind::kToGrow, fmt::format("ended {}", how)};
}

}  // namespace lockstep::service
