// Slurm's own commands, run and read.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/engine/slurm/slurm_words.h"

namespace lockstep::service {

class SlurmTools {
 public:
  explicit SlurmTools(std::string folder) : folder_(std::move(folder)) {}

  // The folder of this PATH that holds them.
  static Result<SlurmTools> in_path(const std::string& path);
  const std::string& folder() const { return folder_; }

  Result<std::vector<SlurmNode>> nodes() const;
  // The number of the new job; an error has Slurm's own words.
  Result<std::string> submit(const AttemptFolder& folder, const Plan& plan) const;
  // None: Slurm does not know the job any more. kUnknown while nobody answers.
  std::optional<SlurmState> state_of(const std::string& number) const;
  // How it ended, by Slurm's accounts; an error says why they do not tell.
  Result<SlurmState> accounted_end_of(const std::string& number) const;
  // Also of a job that only the accounts still know.
  std::optional<std::string> number_of(const std::string& job_name) const;
  // Why Slurm would not take a job of this account; none: it would, or it cannot be asked now.
  std::optional<std::string> refusal_of_account(const std::string& account,
                                                const std::string& partition) const;
  void cancel(const std::string& number) const;

 private:
  Result<std::string> printed_by(std::vector<std::string> words, std::chrono::milliseconds patience) const;
  std::string folder_;
};

}  // namespace lockstep::service
