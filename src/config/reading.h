// What every reader of this folder is given, where its values go; and the readers of commands and small
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/configuration.h"
#include "launchers/launcher.h"

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

using launchers::Launcher;

void read_command(std::span<const std::string> words, const Reading& reading);

// What the launcher starts; empty when its flags cannot be told from its program.
Words read_launcher(const Launcher& launcher, std::span<const std::string> words, const Reading& reading);

// docker run, podman run: what the container is given. `words` follow "docker". What runs in the container;
// empty when it is not a run.
Words read_docker_run(std::span<const std::string> words, const Reading& reading);

// "64m", "1g", "8589934592".
std::optional<std::int64_t> size_in_bytes(std::string_view text);

// Host lists and files that flags name, then the values that all launchers have in common, then what policies
// of a cluster mean.
void derive_job(const Reading& reading);

// TF_CONFIG: a cluster and this task's place in it. Becomes Fields::kTensorflowCluster (lists of addresses by
// job) and the task; text that is no cluster becomes Fields::kTensorflowFault.
void read_tf_config(std::string_view text, const Reading& reading);

// "name slots=4", "name:4", "name", one a line: becomes Fields::kHostList.
void read_hostfile(std::string_view text, const Reading& reading);
// "a:4,b:4" of a flag; `how` names it.
void read_host_list(std::string_view text, const std::string& how, const Reading& reading);
// NAME=VALUE lines: become `section`/NAME. Lines that are neither that nor comments are faults.
void read_variables_file(std::string_view text, const Field<TextMap>& section, const Reading& reading);

bool looks_like_hostfile(std::string_view text);
bool looks_like_variables(std::string_view text);

}  // namespace lockstep::config
