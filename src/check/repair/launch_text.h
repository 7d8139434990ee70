// Values in the text of a script and in the words of a command, changed where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launchers/flag_table.h"

namespace lockstep::repair {

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
