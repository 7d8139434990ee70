// Values in the text of a manifest, changed where they stand. Lines count from 1; all give nothing where the
// text is not as it is expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::repair {

// `key: value` on that line, in a block or between braces.
std::optional<std::string> with_scalar(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view value);

// One more member ("clusterIP: None") of the map that is the value of `key`, which stands on that line.
std::optional<std::string> with_member(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view member);

// One more item of the list that is.
std::optional<std::string> with_item(const std::string& text, std::int64_t line, std::string_view key,
                                     std::string_view item);

}  // namespace lockstep::repair
