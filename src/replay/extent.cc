#include "replay/extent.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "lockstep/payload_format.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

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

// Ranks of a host stop together; the one that began it knows why.
std::optional<record::PayloadStop> why_stopped(const Job& job) {
  std::optional<record::PayloadStop> known;
  for (const record::Payload& rank : job.ranks) {
    if (rank.stopped && (!known || rank.stopped->error != 0)) known = rank.stopped;
  }
  return known;
}

std::string why_there_is_no_payload(const fs::path& recording, const std::error_code& fault) {
  std::error_code unseen;
  if (!fs::exists(recording, unseen)) return unseen ? unseen.message() : "no such recording";
  const bool is_other_trouble =
      fault != std::errc::no_such_file_or_directory && fault != std::errc::not_a_directory;
  return is_other_trouble ? fault.message() : "it holds no payload";
}

}  // namespace

Result<Job> open_job(const fs::path& recording) {
  const fs::path folder = recording / LOCKSTEP_PAYLOAD_FOLDER;
  std::error_code fault;
  const fs::directory_iterator entries(folder, fault);
  if (fault) {
    return Error{"cannot replay", recording.string(), why_there_is_no_payload(recording, fault),
                 "record the job with 'lockstep run --payload -- CMD...'"};
  }
  Job job;
  for (const fs::directory_entry& entry : entries) {
    if (!record::is_first_payload_part(entry.path())) continue;
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
  extent.begin = record::window_begin(rank);
  extent.calls = rank.calls.size();
  const auto last_end = last_ended(rank);
  for (auto call = rank.calls.begin(); call != rank.calls.end(); ++call) {
    const bool is_left_open = call < last_end && call->key.is_receive && !rank.results.contains(call->key);
    if (is_left_open || is_there(*call, rank, job)) continue;
    extent.first = *call;
    extent.stopped = why_stopped(job);
    break;
  }
  return extent;
}

std::string in_words(const Extent& extent) {
  const std::string from =
      extent.begin == 0 ? std::string() : fmt::format("from the end of step {} ", extent.begin);
  if (!extent.first) {
    return from.empty() ? fmt::format("all of it ({} steps, {} calls)", extent.steps, extent.calls)
                        : fmt::format("{}up to its end (step {})", from, extent.steps);
  }
  std::string words = fmt::format("{}up to the end of step {}: the result of {} {} is not in the recording",
                                  from, extent.first->step, lockstep_operation_word(extent.first->operation),
                                  extent.first->key.sequence);
  if (!extent.stopped) return words;
  const int error = extent.stopped->error;
  return words + fmt::format(", since {}",
                             error == 0 ? std::string("the disk could not follow")
                                        : fmt::format("it could not be written: {}", std::strerror(error)));
}

std::optional<record::PayloadCheckpoint> last_checkpoint(const record::Payload& rank, const Job& job) {
  std::optional<record::PayloadCheckpoint> last;
  const std::uint64_t begin = record::window_begin(rank);
  const std::uint64_t end = rank.states.empty() ? 0 : rank.states.back().step;
  for (const record::Payload& other : job.ranks) {
    for (const record::PayloadCheckpoint& checkpoint : other.checkpoints) {
      const bool is_there = checkpoint.step >= begin && checkpoint.step <= end;
      if (is_there && (!last || checkpoint.step >= last->step)) last = checkpoint;
    }
  }
  return last;
}

record::Payload from_step(record::Payload rank, std::uint64_t step) {
  const auto is_beginning = [](const record::PayloadCall& call) {
    return call.is_between_steps && call.step == 0;
  };
  std::erase_if(rank.calls, [&](const record::PayloadCall& call) {
    return !is_beginning(call) && (call.step < step || (call.is_between_steps && call.step == step));
  });
  for (record::PayloadCall& call : rank.calls) {
    if (is_beginning(call)) call.input.reset();  // it begins with the parameters of the checkpoint
  }
  return rank;
}

}  // namespace lockstep::replay
