// Every form a verdict can be written in, behind one function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/finding.h"
#include "report/text.h"

namespace lockstep::report {

enum class Format : std::uint8_t { kText, kJson, kMarkdown, kSarif };

// "text", "json", "markdown", "sarif".
std::optional<Format> format_named(std::string_view name);

// `style` matters to text alone, `tool_version` to SARIF alone.
std::string render(const model::Verdict& verdict, Format format, const TextStyle& style,
                   std::string_view tool_version);

}  // namespace lockstep::report
