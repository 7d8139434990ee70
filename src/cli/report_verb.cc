#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/json.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "diagnose/diagnose.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "report/html/contents.h"
#include "report/html/html.h"
#include "report/redact/redact.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFindings = std::size_t{64} << 20;
constexpr std::string_view kReportPageFormat = "html";

struct FindingsFile {
  model::Verdict verdict;
  base::Json document;  // with what a verdict does not hold
};

Result<FindingsFile> read_findings(const std::string& path) {
  const std::string text = TRY(base::read_file(path, kLargestFindings));
  const std::string where = path == "-" ? "standard input" : path;
  model::Verdict verdict = TRY(report::decode_findings(text, where));
  return FindingsFile{std::move(verdict), TRY(base::parse_json(text, where))};
}

// Findings say so near their start; a folder, a log, a dump or a record file is something to be judged first.
bool is_findings_file(const std::string& path) {
  std::error_code fault;
  if (path == "-" || !fs::exists(path, fault)) return true;  // whoever reads it says what is wrong
  if (!fs::is_regular_file(path, fault)) return false;
  constexpr std::size_t kStart = 4096;
  std::string start(kStart, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), kStart);
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.starts_with('{') && start.find("\"schema\"") != std::string::npos &&
         start.find("lockstep-recording") == std::string::npos;
}

bool ends_with_html(const std::string& out) {
  return out.ends_with(".html") || out.ends_with(".htm");
}

// The format asked for, or the one the name of the file asks for.
std::string format_of(const Args& args) {
  if (!args.has("format") && ends_with_html(*args.value("out"))) return std::string(kReportPageFormat);
  return *args.value("format");
}

Result<diagnose::Examination> examine(const std::string& path, Terminal& terminal) {
  ProgressLine progress(terminal);
  readers::ReadOptions options;
  options.on_progress = [&](const readers::ReadProgress& now) {
    progress.show("reading", now.bytes_done, now.bytes);
  };
  const std::vector<fs::path> paths = {path};
  const auto on_scanned = [&](std::uint64_t bytes_done, std::uint64_t bytes) {
    progress.show("looking for symptoms", bytes_done, bytes);
  };
  return diagnose::examine(paths, report::live_findings_in(paths), options, on_scanned);
}

// "2 findings". Whoever asked for a file has it: findings in it are no failure.
Result<ExitStatus> tell_written(const std::string& out, const model::Verdict& verdict, bool is_page,
                                Terminal& terminal) {
  const std::size_t count = verdict.findings.size();
  const std::string findings = count == 0   ? "nothing wrong found"
                               : count == 1 ? "1 finding"
                                            : fmt::format("{} findings", count);
  const std::string where =
      is_page ? fmt::format("; open {}", report::file_uri(fs::absolute(out).string())) : "";
  terminal.tell(fmt::format("lockstep: wrote {} ({}){}\n", base::escape_for_terminal(out), findings, where));
  return ExitStatus::kNothingFound;
}

Result<ExitStatus> write_page(html::Contents contents, const std::vector<std::string>& host_names,
                              const Args& args, Terminal& terminal) {
  if (args.has("redact")) html::redact(contents, host_names);
  const std::string html = TRY(html::html_of(contents, version()));
  const std::string out = *args.value("out");
  const ExitStatus status = TRY(write_text(html, contents.verdict, out, terminal));
  return out == "-" ? Result(status) : tell_written(out, contents.verdict, true, terminal);
}

Result<ExitStatus> write_other(model::Verdict verdict, const std::vector<std::string>& host_names,
                               std::string_view format, const Args& args, Terminal& terminal) {
  if (args.has("redact")) verdict = report::redact(std::move(verdict), host_names);
  const std::string out = *args.value("out");
  const ExitStatus status =
      TRY(write_verdict(verdict, {.format = *report::format_named(format), .out = out}, terminal));
  return out == "-" ? Result(status) : tell_written(out, verdict, false, terminal);
}

Result<ExitStatus> run_report(const Args& args, Terminal& terminal) {
  const std::string& input = args.operands.front();
  const std::string format = format_of(args);
  const bool is_page = format == kReportPageFormat;
  if (is_findings_file(input)) {
    FindingsFile file = TRY(read_findings(input));
    if (!is_page) return write_other(std::move(file.verdict), {}, format, args, terminal);
    html::Contents contents = html::contents_of(input, std::move(file.verdict));
    html::add_hosts(contents, file.document);
    return write_page(std::move(contents), {}, args, terminal);
  }
  diagnose::Examination found = TRY(examine(input, terminal));
  if (found.diagnosis.lines_without_a_job) return no_job_in(*found.diagnosis.lines_without_a_job);
  if (is_page) {
    const auto lines = args.has("redact") ? html::ScriptLines::kNone : html::ScriptLines::kOfOwnJobs;
    return write_page(html::contents_of(input, found, lines), found.diagnosis.host_names, args, terminal);
  }
  return write_other(std::move(found.diagnosis.verdict), found.diagnosis.host_names, format, args, terminal);
}

constexpr std::string_view kReportDescription[] = {
    "Writes what is known of a job as one page to open in a browser (-o out.html): the verdict with the log "
    "lines that prove it and the fixes, the ranks over time with who waited for whom, step times, losses and "
    "checksums, and the catalogue. The page is one file, needs no network and runs nothing but its own "
    "script.",
    "It takes a recording, a folder or a file that 'lockstep diagnose' reads, or a findings file (JSON, "
    "schema lockstep-findings-v1, of any tool that keeps to it). The other forms are text for people, "
    "Markdown to paste into an issue, SARIF for code-scanning services, or JSON, checked and tidied.",
    "Exit status: 0 when a file was written; on standard output 1 means that there are findings.",
};

constexpr Example kReportExamples[] = {
    {"lockstep report lockstep-latest -o report.html", "A recording as a page to look at"},
    {"lockstep report logs/ -o report.html --redact", "To hand on: names, addresses and secrets masked"},
    {"lockstep report findings.json", "A findings file in words"},
    {"lockstep report findings.json --format=markdown -o report.md", "To paste into an issue"},
};

constexpr std::string_view kReportFormats[] = {"text", "json", "markdown", "sarif", "html"};

constexpr Flag kReportFlags[] = {
    {.name = "format",
     .short_name = 'f',
     .value_name = "FORMAT",
     .help = "How to write it; html where --out ends in .html",
     .choices = kReportFormats,
     .default_value = "text"},
    kVerdictFlags[1],
    kVerdictFlags[2],
};

}  // namespace

constinit const Verb kReportVerb{
    .name = "report",
    .one_line = "write a page to look at, or findings in other forms",
    .usage = "report RECORDING|FINDINGS|FOLDER [flags]",
    .group = VerbGroup::kStart,
    .description = kReportDescription,
    .examples = kReportExamples,
    .operands = {.name = "RECORDING|FINDINGS|FOLDER",
                 .min = 1,
                 .max = 1,
                 .help = "A recording, what a job left behind, or a findings file; - is findings on standard "
                         "input",
                 .kind = ValueKind::kFile},
    .flags = kReportFlags,
    .globals = {.color = true},
    .run = run_report,
};

}  // namespace lockstep::cli
