#include "cli/write_verdict.h"

#include "base/file.h"
#include "cli/program_text.h"
#include "cli/terminal.h"

namespace lockstep::cli {

Result<ExitStatus> write_verdict(const model::Verdict& verdict, report::Format format, const std::string& out,
                                 Terminal& terminal) {
  const bool goes_to_terminal = out == "-";
  const report::TextStyle style{.colour = goes_to_terminal && terminal.color_on_out(),
                                .width = terminal.width()};
  const std::string text = report::render(verdict, format, style, version());
  if (goes_to_terminal) {
    TRY(terminal.write(text));
  } else {
    TRY(base::write_file(out, text));
  }
  return verdict.findings.empty() ? ExitStatus::kNothingFound : ExitStatus::kFindings;
}

}  // namespace lockstep::cli
