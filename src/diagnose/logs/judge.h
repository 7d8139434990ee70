// Logs in, the verdict out: what kind of fault, who began it, the lines that prove it and what repairs it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/arbiter.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/features.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/scan.h"
#include "model/finding.h"

namespace lockstep::logs {

struct LogVerdict {
  model::JobSummary job;
  std::vector<model::Finding> findings;   // most likely first; empty: nothing wrong was seen
  std::vector<std::string> limits;        // what the verdict could not see
  std::vector<std::string> collect_next;  // commands that would show more, where the cause is not clear
  Stage stage = Stage::kUnknown;          // the furthest that any log shows
  Opinion opinion;                        // the arbiter's, with its reasons
  Features features;                      // what it was asked about
};

// `arbiter`: a model as tools/train_judge writes it. `seen_before`: as scan_logs() takes it.
LogVerdict judge(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                 std::string_view arbiter = embedded_arbiter(), const OnScanned& on_scanned = {},
                 std::vector<std::optional<Scan>> seen_before = {});

}  // namespace lockstep::logs
