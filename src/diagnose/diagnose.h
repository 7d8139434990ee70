// What a job left behind in, the verdict out. Used by the verb and by whoever else needs an answer; renders
// nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnose/logs/scan.h"
#include "model/finding.h"
#include "model/job.h"
#include "readers/log_file.h"
#include "readers/read_all.h"

namespace lockstep::diagnose {

// An error only when there is nothing to judge: a path that does not exist, or no file of a kind that is
// known.
struct Diagnosis {
  model::Verdict verdict;
  std::vector<model::Decision>
      decisions;                        // from what was found to the verdict; whoever shows them puts them in
  std::vector<std::string> host_names;  // of the job, where the input names them
  // There is nothing of a training job in what was read: so many lines, that tell no rank, no step and no
  // framework. Nothing wrong was found in them, which says nothing.
  std::optional<std::uint64_t> lines_without_a_job = std::nullopt;
};
Result<Diagnosis> diagnose_with_hosts(const std::vector<std::filesystem::path>& paths,
                                      const readers::ReadOptions& options = {},
                                      const logs::OnScanned& on_scanned = {});

// The same when somebody watched the job while it ran. What was seen then comes before what the ranks'
// records show after the end, which ended ranks that had nothing to do with it.
Result<Diagnosis> diagnose_watched(const std::vector<std::filesystem::path>& paths,
                                   std::vector<model::Finding> seen_live,
                                   const readers::ReadOptions& options = {},
                                   const logs::OnScanned& on_scanned = {});

// What was judged besides the verdict, for whoever shows both.
struct Examination {
  Diagnosis diagnosis;
  model::Job job;
  std::vector<readers::LogFile> logs;
};
Result<Examination> examine(const std::vector<std::filesystem::path>& paths,
                            std::vector<model::Finding> seen_live = {},
                            const readers::ReadOptions& options = {}, const logs::OnScanned& on_scanned = {});

// The same where it is no error that nothing of a kind that is known was left: none then. What cannot be
// read is an error here too.
Result<std::optional<Diagnosis>> diagnose_what_was_left(const std::vector<std::filesystem::path>& paths,
                                                        std::vector<model::Finding> seen_live);

// Of the job: what is missing in the summary from the ranks' records comes from the logs.
model::JobSummary what_either_knows(model::JobSummary from_ranks, const model::JobSummary& from_logs);

// The verdict alone.
Result<model::Verdict> diagnose(const std::vector<std::filesystem::path>& paths,
                                const readers::ReadOptions& options = {},
                                const logs::OnScanned& on_scanned = {});

}  // namespace lockstep::diagnose
