// A value of a launch, set where it stands: in a script, in the command, in the environment, in a JSON file,
// a host file or a manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/repair/situation.h"
#include "launchers/flag_table.h"

namespace lockstep::repair {

// A host in a host file.
struct HostEntry {
  std::string name;
  std::optional<std::int64_t> slots;
};

// "a:2,b".
std::string as_flag(const std::vector<HostEntry>& entries);

// The list in a host file, written anew line by line; comments stay. `hosts` as a flag has them. False: the
// list stands in no file.
bool set_host_file(Situation& situation, const config::LaunchConfig& launch, std::string_view hosts);

// False: the field has no place that can be edited.
bool set_launch_value(Situation& situation, std::size_t launch, const config::FieldPath& field,
                      const std::optional<std::string>& value);

// "export NAME=value", "unset NAME".
std::string variable_command(const std::string& name, const std::optional<std::string>& value);

// As a shell takes it for one word.
std::string shell_word(std::string_view text);

// In a script. Lines count from 1.
// NAME=..., on that line or one that continues it. Without a value the assignment goes, and with it a line
// that has nothing else. Nothing when it does not stand there.
std::optional<std::string> with_variable(const std::string& script, std::int64_t line, std::string_view name,
                                         const std::optional<std::string>& value);
std::string with_line_before(const std::string& script, std::int64_t line, std::string_view added);
// `flag` as it is typed: "--master-addr", "--mca btl_tcp_if_include". Without a value it goes, with its
// value.
std::optional<std::string> with_flag(const std::string& script, std::int64_t line, std::string_view flag,
                                     const std::optional<std::string>& value);
// Behind the launcher's name on that line: "torchrun", "torch.distributed.run".
std::optional<std::string> with_new_flag(const std::string& script, std::int64_t line, std::string_view flag,
                                         const std::string& value);

// The same in words.
bool set_flag(launchers::Words& command, std::string_view flag, const std::optional<std::string>& value);
bool add_flag(launchers::Words& command, std::string_view flag, const std::string& value);

}  // namespace lockstep::repair
