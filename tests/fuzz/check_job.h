// What must hold of every job that a reader returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/job.h"

namespace lockstep::fuzz {

template <typename Id, typename Table>
void check_id(Id id, const Table& table) {
  CHECK(id == Id::kNone || static_cast<std::size_t>(id) < table.size(), "an id is one of the job's own");
}

inline void check_job(const model::Job& job, std::size_t input_bytes) {
  CHECK(job.sources.size() == 1, "a reader's job has one source");
  std::size_t kept = 0;
  for (const model::RankHistory& history : job.ranks) {
    kept += 1 + history.events.size() + history.progress.size() + history.failures.size();
    CHECK(!history.rank.host || static_cast<std::size_t>(*history.rank.host) < job.hosts.size(),
          "a host is one of the job's own");
    for (const model::Event& event : history.events) {
      check_id(event.communicator, job.communicators);
      check_id(event.collective, job.collectives);
      check_id(event.name, job.names);
      check_id(event.stack, job.stacks);
    }
    for (const model::Progress& progress : history.progress) {
      check_id(progress.communicator, job.communicators);
    }
  }
  CHECK(kept <= input_bytes + 200'000, "what a reader keeps fits what it was given");
}

}  // namespace lockstep::fuzz
