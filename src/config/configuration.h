// What the user gave to check, read into launches: one for each command, script or manifest that starts
// processes of the job. A launch's values know where they came from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/launch_config.h"
#include "launchers/one_rank.h"

namespace lockstep::config {

using launchers::Environment;
using launchers::Words;

// What could not be read: a file, a line of it, a word of the command.
struct Fault {
  std::string file;
  std::optional<std::int64_t> line;
  std::string why;

  bool operator==(const Fault&) const = default;
};

// The text of a file that the user named or that a command names.
using FileText = std::function<Result<std::string>(const std::string& path)>;

struct Inputs {
  Words command;            // after --
  Environment environment;  // that the command would run under
  std::vector<std::string> files;
  FileText read_file;
};

struct Configuration {
  std::vector<LaunchConfig> launches;
  std::vector<Fault> faults;
};

// Never fails: what cannot be read is among the faults, the rest is there.
Configuration read_configuration(const Inputs& inputs);

// Whether each host has a launch of its own, in the order of the hosts: as many as hosts, none from the same
// script. Otherwise the first is that of all.
bool have_own_launches(std::span<const LaunchConfig> launches, std::size_t hosts);

// The words of a command as typed in one line, with quotes taken off; variables in them are open.
Words words_of_line(std::string_view line);

// A job whose facts come from several hosts runs on several, where the launch does not say otherwise.
void know_hosts(Configuration& configuration, std::size_t hosts_with_facts);

}  // namespace lockstep::config
