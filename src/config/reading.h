// What every reader of this folder is given, where its values go; and the readers of commands and small
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/configuration.h"
#include "launchers/launcher.h"
#include "shell/interpreter.h"

namespace lockstep::config {

// What all readers of one configuration share.
struct ReadingOfAll {
  std::vector<Fault>& faults;
  const FileText& read_file;
  int next_launch = 0;  // its number
  int files_read = 0;   // that others name, whatever they hold
};

struct Reading {
  LaunchConfig& launch;
  ReadingOfAll& all;
  Origin place = {};  // file and line of what is being read
  int depth = 0;      // of files and commands inside each other
  // Where further launches go when a command turns out to be several.
  std::vector<LaunchConfig>* finished = nullptr;
  // All variables are known: the command is one of this process, and runs beneath it.
  bool knows_caller = false;
  std::vector<int> alongside = {};              // numbers of launches that run already
  const shell::TextsByName* written = nullptr;  // files that a script wrote before

  Origin origin(std::string how) const { return {place.file, place.line, std::move(how)}; }
  void fault(std::string why) const { all.faults.push_back({place.file, place.line, std::move(why)}); }
  // Text that only the running shell could know is kept apart from what is known (Fields::at_run_time).
  void put(const FieldPath& field, std::string text, const Origin& origin) const;
  void put_variable(std::string_view name, std::string text, const Origin& origin) const;
  // That a section may hold more than is known.
  void leave_open(const FieldPath& section, std::string_view as_written) const;
  Result<std::string> text_of(const std::string& path) const;
};

inline constexpr int kMaxReadingDepth = 8;

using launchers::Launcher;

// `input` is what the command reads: the here-document of `sbatch <<EOF`.
void read_command(const CommandLine& line, const Reading& reading,
                  const std::optional<std::string>& input = std::nullopt);

// Whether a command starts ranks, or something that may: a launcher, a script, a program of nobody's.
bool may_start_ranks(std::span<const std::string> words);

// What the launcher starts; empty when its flags cannot be told from its program. What is given behind other
// files wins over them, or does not.
enum class Given { kWins, kOnlyIfMissing };
CommandLine read_launcher(const Launcher& launcher, const CommandLine& line, const Reading& reading,
                          Given given = Given::kWins);

// docker run, podman run: what the container is given. `line` follows "docker". What runs in the container;
// empty when it is not a run.
CommandLine read_docker_run(const CommandLine& line, const Reading& reading);

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
