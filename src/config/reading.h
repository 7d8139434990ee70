// What every reader of this folder is given: where its values go and where they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/configuration.h"

namespace lockstep::config {

// In text of a shell: what only the running shell could know begins here ("$(hostname)").
inline constexpr char kOnlyAtRunTime = '\x01';

struct Reading {
  LaunchConfig& launch;
  std::vector<Fault>& faults;
  const FileText& read_file;
  Origin place = {};  // file and line of what is being read
  int depth = 0;      // of files and commands inside each other
  // Launches that were complete before the current one began: a script may start several.
  std::vector<LaunchConfig>* finished = nullptr;

  Origin origin(std::string how) const { return {place.file, place.line, std::move(how)}; }
  void fault(std::string why) const { faults.push_back({place.file, place.line, std::move(why)}); }
  // Text that only the running shell could know is kept apart from what is known (Fields::at_run_time).
  void put(const FieldPath& field, std::string text, std::string how) const;
  void put_variable(std::string_view name, std::string text, std::string how) const;
};

inline constexpr int kMaxReadingDepth = 8;

}  // namespace lockstep::config
