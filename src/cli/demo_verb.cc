#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/closest.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/demo_archive.h"
#include "cli/help.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "diagnose/diagnose.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "report/html/contents.h"
#include "report/html/html.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Result<const Demo*> demo_named(const std::string& name) {
  const auto demo = std::ranges::find(all_demos(), name, &Demo::name);
  if (demo != all_demos().end()) return &*demo;
  std::vector<std::string_view> names;
  for (const Demo& one : all_demos()) names.push_back(one.name);
  const auto meant = base::closest(name, names);
  return Error{fmt::format("no demo is called '{}'", name), "", "",
               meant ? fmt::format("did you mean '{}'?", *meant) : "'lockstep demo' lists them"};
}

// The folder in which a demo lies while it is judged. What is judged is named from there, without a path.
class DemoFolder {
 public:
  static Result<DemoFolder> make() {
    std::error_code ignored;
    std::string name = (fs::temp_directory_path(ignored) / "lockstep-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      return base::error_from_errno("cannot make a folder", name,
                                    "set TMPDIR to a folder that may be written");
    return DemoFolder(name);
  }
  DemoFolder(DemoFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  DemoFolder& operator=(DemoFolder&&) = delete;
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit DemoFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Result<ExitStatus> show_demo(const Demo& demo, const Args& args, Terminal& terminal) {
  const std::string out = *args.value("out");
  const fs::path page = out == "-" ? fs::path() : fs::absolute(out);
  const std::string kept = args.value("keep").value_or("");
  if (!kept.empty()) TRY(unpack(demo.archive, kept));
  const DemoFolder folder = TRY(DemoFolder::make());
  const fs::path name(demo.name);
  TRY(unpack(demo.archive, folder.path() / name));
  std::error_code fault;
  fs::current_path(folder.path(), fault);
  if (fault) return Error{"cannot use a folder", folder.path().string(), fault.message(), ""};
  const std::vector<fs::path> paths = {name};
  diagnose::Examination found =
      TRY(diagnose::examine(paths, report::live_findings_in(paths), readers::ReadOptions(), {}));
  const model::Verdict& verdict = found.diagnosis.verdict;
  if (!page.empty()) {
    const std::string html =
        TRY(html::html_of(html::contents_of(name.string(), found, html::ScriptLines::kNone), version()));
    TRY(base::write_file(page, html));
    terminal.tell(fmt::format("lockstep: wrote {}; open {}\n", base::escape_for_terminal(out),
                              report::file_uri(page.string())));
    return ExitStatus::kNothingFound;
  }
  const report::Format format = args.has("json") ? report::Format::kJson : report::Format::kText;
  TRY(write_verdict(verdict, {.format = format, .details = false}, terminal));
  if (args.has("json")) return ExitStatus::kNothingFound;
  TRY(terminal.flush());
  terminal.tell(fmt::format("\nlockstep: as a page:  lockstep demo {} -o {}.html\n", demo.name, demo.name));
  if (!kept.empty())
    terminal.tell(fmt::format("lockstep: the recording is in {}\n", base::escape_for_terminal(kept)));
  return ExitStatus::kNothingFound;
}

Result<void> list_demos(const Args& args, Terminal& terminal) {
  std::string lines;
  base::Json json = base::Json::array();
  std::vector<Row> rows;
  for (const Demo& demo : all_demos()) {
    lines += fmt::format("{}\n", demo.name);
    json.push_back({{"name", demo.name}, {"what", demo.what}});
    rows.push_back({std::string(demo.name), std::string(demo.what)});
  }
  if (args.has("names")) return terminal.write(lines);
  if (args.has("json")) return terminal.write(base::to_text(json, base::JsonLayout::kIndented) + "\n");
  return terminal.write("Recordings of real jobs of four ranks:\n" + two_columns(rows));
}

Result<ExitStatus> run_demo(const Args& args, Terminal& terminal) {
  if (!args.operands.empty()) return show_demo(*TRY(demo_named(args.operands.front())), args, terminal);
  TRY(list_demos(args, terminal));
  if (args.has("names") || args.has("json")) return ExitStatus::kNothingFound;
  const Demo& first = all_demos().front();
  TRY(terminal.write(fmt::format("\nlockstep demo {}:\n\n", first.name)));
  return show_demo(first, args, terminal);
}

constexpr std::string_view kDemoDescription[] = {
    "Shows what Lockstep says of a job that failed: the verdict on one of five recordings that the program "
    "carries. They are of real jobs, each with another fault; nothing is installed, downloaded or kept, and "
    "no "
    "framework is needed. Without NAME they are listed, and the first is shown.",
    "Exit status 0, though there are findings; 2: there is no such demo.",
};

constexpr Example kDemoExamples[] = {
    {"lockstep demo", "List the demos and show the first one"},
    {"lockstep demo straggler -o straggler.html", "Its page, to open in a browser"},
    {"lockstep demo oom --keep oom", "The recording itself, to try other verbs on: lockstep dump oom/rank_*"},
};

constexpr Flag kDemoFlags[] = {
    {.name = "out",
     .short_name = 'o',
     .value_name = "FILE",
     .help = "Write the page there instead; - is the verdict on standard output",
     .default_value = "-",
     .kind = ValueKind::kFile},
    {.name = "keep",
     .value_name = "DIR",
     .help = "Leave the recording in this folder",
     .kind = ValueKind::kFolder},
    {.name = "names", .help = "List the names alone, one a line"},
};

}  // namespace

constinit const Verb kDemoVerb{
    .name = "demo",
    .one_line = "look at five real failures, without a job of your own",
    .usage = "demo [NAME] [flags]",
    .group = VerbGroup::kStart,
    .description = kDemoDescription,
    .examples = kDemoExamples,
    .operands = {.name = "NAME",
                 .min = 0,
                 .max = 1,
                 .help = "desync, oom, straggler, nan or exception",
                 .kind = ValueKind::kDemo},
    .flags = kDemoFlags,
    .globals = {.json = true, .color = true},
    .run = run_demo,
};

}  // namespace lockstep::cli
