// A verdict in the form and to the place the user asked for: the last step of every verb that judges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/verb.h"
#include "model/finding.h"
#include "report/format.h"

namespace lockstep::cli {

class Terminal;

inline constexpr std::string_view kVerdictFormats[] = {"text", "json", "markdown", "sarif"};

inline constexpr Flag kFormatFlag = {.name = "format",
                                     .short_name = 'f',
                                     .value_name = "FORMAT",
                                     .help = "How to write it",
                                     .choices = kVerdictFormats,
                                     .default_value = "text"};
inline constexpr Flag kOutFlag = {.name = "out",
                                  .short_name = 'o',
                                  .value_name = "FILE",
                                  .help = "Where to write it; - is standard output",
                                  .default_value = "-",
                                  .kind = ValueKind::kFile};

// The flags of a verb that ends with write_verdict().
inline constexpr Flag kVerdictFlags[] = {
    kFormatFlag,
    kOutFlag,
    {.name = "redact",
     .help = "Mask host names, addresses, user names and secrets; the same name gets the same stand-in"},
};

struct Writing {
  report::Format format = report::Format::kText;
  std::string out = "-";  // a file, or "-" for standard output
  bool details = true;    // of text: everything, not what is enough to go on
};

// The status says whether there are findings. `first` stands before the verdict, `more` behind it.
Result<ExitStatus> write_verdict(const model::Verdict& verdict, const Writing& writing, Terminal& terminal,
                                 std::string_view more = {}, std::string_view first = {});

// What was read is of no training job: that nothing wrong was found in it says nothing.
Error no_job_in(std::uint64_t lines);

// The same for a verdict that the caller has rendered.
Result<ExitStatus> write_text(std::string_view text, const model::Verdict& verdict, const std::string& out,
                              Terminal& terminal);

}  // namespace lockstep::cli
