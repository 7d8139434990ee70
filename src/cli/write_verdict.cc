#include "cli/write_verdict.h"

#include "base/file.h"
#include "cli/program.h"
#include "cli/terminal.h"

namespace lockstep::cli {

Result<ExitStatus> write_text(std::string_view text, const model::Verdict& verdict, const std::string& out,
                              Terminal& terminal) {
  if (out == "-") {
    TRY(terminal.write(text));
  } else {
    TRY(base::write_file(out, text));
  }
  return verdict.findings.empty() ? ExitStatus::kNothingFound : ExitStatus::kFindings;
}

Result<ExitStatus> write_verdict(const model::Verdict& verdict, report::Format format, const std::string& out,
                                 Terminal& terminal, std::string_view more) {
  const report::TextStyle style{.colour = out == "-" && terminal.color_on_out(), .width = terminal.width()};
  const std::string text = report::render(verdict, format, style, version());
  return write_text(text + std::string(more), verdict, out, terminal);
}

}  // namespace lockstep::cli
