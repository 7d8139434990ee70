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

Result<ExitStatus> write_verdict(const model::Verdict& verdict, const Writing& writing, Terminal& terminal,
                                 std::string_view more, std::string_view first) {
  const report::TextStyle style{.colour = writing.out == "-" && terminal.color_on_out(),
                                .width = terminal.width(),
                                .details = writing.details};
  const std::string text = report::render(verdict, writing.format, style, version());
  return write_text(std::string(first) + text + std::string(more), verdict, writing.out, terminal);
}

}  // namespace lockstep::cli
