#include "base/file.h"
#include "cli/args.h"
#include "cli/verbs.h"
#include "cli/write_verdict.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "report/redact/redact.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestFindings = std::size_t{64} << 20;

Result<model::Verdict> read_verdict(const std::string& path) {
  const std::string text = TRY(base::read_file(path, kLargestFindings));
  return report::decode_findings(text, path == "-" ? "standard input" : path);
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  model::Verdict verdict = TRY(read_verdict(args.operands.front()));
  if (args.has("redact")) verdict = report::redact(std::move(verdict));
  return write_verdict(verdict, *report::format_named(*args.value("format")), *args.value("out"), terminal);
}

constexpr std::string_view kDescription[] = {
    "Writes a findings file (JSON, schema lockstep-findings-v1) in another form: text for people, Markdown "
    "to paste "
    "into an issue, SARIF for code-scanning services, or JSON again, checked and tidied. The file may come "
    "from any "
    "tool that keeps to the schema.",
    "Exit status 1 means that the file holds findings.",
};

constexpr Example kExamples[] = {
    {"lockstep report findings.json", "The report for people"},
    {"lockstep report findings.json --format=markdown -o report.md", "To paste into an issue"},
};

}  // namespace

constinit const Verb kReportVerb{
    .name = "report",
    .one_line = "write a findings file as text, Markdown or SARIF",
    .usage = "report FINDINGS [flags]",
    .description = kDescription,
    .examples = kExamples,
    .operands = {.name = "FINDINGS",
                 .min = 1,
                 .max = 1,
                 .help = "A findings file; - is standard input",
                 .kind = ValueKind::kFile},
    .flags = kVerdictFlags,
    .globals = {.color = true},
    .run = run,
};

}  // namespace lockstep::cli
