// What the logs say. Each is looked through once, while it is read: for the words of the catalogue and for
// the marks of formats that stand in logs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "diagnose/logs/judge.h"
#include "readers/read_all.h"

namespace lockstep::diagnose {

class LogJudge {
 public:
  explicit LogJudge(const logs::OnScanned& on_scanned) : on_scanned_(on_scanned) {}

  // The options refer to it.
  void look_along(readers::ReadOptions& options);
  Result<logs::LogVerdict> judge(const std::vector<readers::LogFile>& logs);
  const Result<catalogue::Catalogue>& catalogue();

 private:
  std::vector<readers::TellingLine> telling_lines(std::string_view text);
  std::optional<readers::LogMarks> first_look(const std::string& name, std::string_view text,
                                              bool is_mapped_file, std::size_t files);

  const logs::OnScanned& on_scanned_;
  std::once_flag once_;
  std::optional<Result<catalogue::Catalogue>> catalogue_;  // loaded when the first log asks for it
  std::mutex mutex_;
  std::map<std::string, logs::Scan> seen_;  // by name; guarded
};

}  // namespace lockstep::diagnose
