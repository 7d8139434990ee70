#include "replay/extent.h"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/payload_format.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

bool is_payload_file(const fs::directory_entry& entry) {
  return entry.path().extension() == LOCKSTEP_PAYLOAD_FILE_EXTENSION;
}

// The last restart of a rank is the one that tells how the job ended.
void keep_last_restarts(std::vector<record::Payload>& ranks) {
  std::ranges::sort(ranks, [](const record::Payload& a, const record::Payload& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.restart > b.restart;
  });
  const auto same_rank = [](const record::Payload& a, const record::Payload& b) { return a.rank == b.rank; };
  ranks.erase(std::unique(ranks.begin(), ranks.end(), same_rank), ranks.end());
}

bool has_bytes(const record::PayloadOutput& output, const Job& job) {
  return output.bytes == 0 || std::ranges::any_of(job.ranks, [&](const record::Payload& rank) {
           return rank.blobs.contains(output.hash);
         });
}

// A send gives nothing back.
bool is_there(const record::PayloadCall& call, const record::Payload& rank, const Job& job) {
  if (call.key.is_send) return true;
  const auto found = rank.results.find(call.key);
  if (found == rank.results.end()) return false;
  const record::PayloadResult& result = found->second;
  if (result.has_failed) return true;
  return result.is_kept && std::ranges::all_of(result.outputs, [&](const record::PayloadOutput& output) {
           return has_bytes(output, job);
         });
}

// The rank went on after it: what it had posted before and never got, it did not wait for.
std::vector<record::PayloadCall>::const_iterator last_ended(const record::Payload& rank) {
  auto last = rank.calls.begin();
  for (auto call = rank.calls.begin(); call != rank.calls.end(); ++call) {
    if (rank.results.contains(call->key)) last = call;
  }
  return last;
}

}  // namespace

Result<Job> open_job(const fs::path& recording) {
  const fs::path folder = recording / LOCKSTEP_PAYLOAD_FOLDER;
  std::error_code fault;
  const fs::directory_iterator entries(folder, fault);
  if (fault) {
    return Error{"cannot replay", recording.string(), "it holds no payload",
                 "record the job with 'lockstep run --payload -- CMD...'"};
  }
  Job job;
  for (const fs::directory_entry& entry : entries) {
    if (!is_payload_file(entry)) continue;
    auto rank = record::read_payload(entry.path());
    if (rank.ok()) {
      job.ranks.push_back(std::move(rank).value());
    } else {
      job.limits.push_back(fmt::format("{}: {}", entry.path().filename().string(), rank.error().why));
    }
  }
  keep_last_restarts(job.ranks);
  if (job.ranks.empty()) {
    return Error{"cannot replay", recording.string(), "no rank left payload",
                 "the job must begin to communicate by PyTorch or MPI under 'lockstep run --payload'"};
  }
  return job;
}

const record::Payload* find_rank(const Job& job, int rank) {
  const auto found = std::ranges::find(job.ranks, rank, &record::Payload::rank);
  return found == job.ranks.end() ? nullptr : &*found;
}

Extent extent_of(const record::Payload& rank, const Job& job) {
  Extent extent;
  if (!rank.states.empty()) extent.steps = rank.states.back().step;
  extent.calls = rank.calls.size();
  const auto last_end = last_ended(rank);
  for (auto call = rank.calls.begin(); call != rank.calls.end(); ++call) {
    const bool is_left_open = call < last_end && call->key.is_receive && !rank.results.contains(call->key);
    if (is_left_open || is_there(*call, rank, job)) continue;
    extent.first = *call;
    break;
  }
  return extent;
}

std::string in_words(const Extent& extent) {
  if (!extent.first) return fmt::format("all of it ({} steps, {} calls)", extent.steps, extent.calls);
  return fmt::format("up to the end of step {}: the result of {} {} is not in the recording",
                     extent.first->step, lockstep_operation_word(extent.first->operation),
                     extent.first->key.sequence);
}

}  // namespace lockstep::replay
