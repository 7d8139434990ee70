// The report for an issue or a merge request, as GitHub and GitLab read it. Text from files cannot end the
// construct it stands in, bring in HTML, links or images, mention people, refer to issues or run quick
// actions.
//
// The idea: a word of ordinary prose is written as it is; any other word (drop_last=True, @user, <img,
// https://...) becomes a code span, in which nothing has a meaning. That is also how a person would write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace lockstep::report {

std::string render_markdown(const model::Verdict& verdict);

// One paragraph on one line. The text is escaped for terminals first.
std::string markdown_prose(std::string_view text);

// `text`, with as many backticks around as the text itself makes necessary. It takes escaped text.
std::string markdown_code(std::string_view text);

// A fenced block of escaped lines, every line indented by `columns`, ending with a newline.
std::string markdown_fence(const std::vector<std::string>& lines, std::string_view language,
                           std::size_t columns);

}  // namespace lockstep::report
