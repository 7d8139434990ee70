#include "report/format.h"

#include "report/findings_json.h"

namespace lockstep::report {

std::optional<Format> format_named(std::string_view name) {
  if (name == "text") return Format::kText;
  if (name == "json") return Format::kJson;
  if (name == "markdown") return Format::kMarkdown;
  if (name == "sarif") return Format::kSarif;
  return std::nullopt;
}

std::string render(const model::Verdict& verdict, Format format, const TextStyle& style,
                   std::string_view tool_version) {
  switch (format) {
    case Format::kJson:
      return encode_findings(verdict);
    case Format::kMarkdown:
      return render_markdown(verdict);
    case Format::kSarif:
      return render_sarif(verdict, tool_version);
    case Format::kText:
      break;
  }
  return render_text(verdict, style);
}

}  // namespace lockstep::report
