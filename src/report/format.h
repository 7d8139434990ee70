// Every form a verdict can be written in: one function over all of them, and each by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace lockstep::report {

// The report for people at a terminal. Nothing that came from a file can act on the terminal: it is escaped
// first. Lines fit the width, except commands, which stay whole so that they can be copied.
struct TextStyle {
  bool colour = false;
  int width = 80;                             // columns; fewer than 40 are treated as 40
  bool details = false;                       // all evidence, all fixes, every finding in full
  std::string details_command = "--details";  // that shows what the short form folds
};

std::string render_text(const model::Verdict& verdict, const TextStyle& style);

// The report for an issue or a merge request, as GitHub and GitLab read it. Text from files cannot end the
// construct it stands in, bring in HTML, links or images, mention people, refer to issues or run quick
// actions.
//
// The idea: a word of ordinary prose is written as it is; any other word (drop_last=True, @user, <img,
// https://...) becomes a code span, in which nothing has a meaning. That is also how a person would write it.
std::string render_markdown(const model::Verdict& verdict);

// One paragraph on one line. The text is escaped for terminals first.
std::string markdown_prose(std::string_view text);

// `text`, with as many backticks around as the text itself makes necessary. It takes escaped text.
std::string markdown_code(std::string_view text);

// A fenced block of escaped lines, every line indented by `columns`, ending with a newline.
std::string markdown_fence(const std::vector<std::string>& lines, std::string_view language,
                           std::size_t columns);

// SARIF 2.1.0, for code scanning services and editors. One rule per finer code, one result per finding; the
// first evidence that names a file is the location, the others are related locations. Limits of the verdict
// are notifications of the tool.
//
// SARIF's own fixes are edits of files; ours are advice, so they stand in the message and the properties.
std::string render_sarif(const model::Verdict& verdict, std::string_view tool_version);

// A file name as a URI: relative names stay relative, absolute ones become file:///.
std::string file_uri(std::string_view file);

enum class Format : std::uint8_t { kText, kJson, kMarkdown, kSarif };

// "text", "json", "markdown", "sarif".
std::optional<Format> format_named(std::string_view name);

// `style` matters to text alone, `tool_version` to SARIF alone.
std::string render(const model::Verdict& verdict, Format format, const TextStyle& style,
                   std::string_view tool_version);

}  // namespace lockstep::report
