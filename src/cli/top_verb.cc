#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "run/watch/watcher.h"
#include "top/render.h"
#include "top/session.h"
#include "top/snapshot_json.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLatest = "lockstep-latest";
constexpr std::size_t kLargestFindingsFile = std::size_t{64} << 20;
constexpr double kShortestInterval = 0.25;  // four frames a second
constexpr double kLongestInterval = 3600;

Result<fs::path> recording_from(const Args& args) {
  const bool is_latest = args.operands.empty();
  const fs::path folder = is_latest ? fs::path(kLatest) : fs::path(args.operands.front());
  const Result<record::Recording> opened = record::open_recording(folder);
  if (opened.ok()) return folder;
  Error error = opened.error();
  error.hint = is_latest ? "name the folder of a recording: lockstep top FOLDER"
                         : "a recording is the folder with the ranks' files, as LOCKSTEP_RECORD names it";
  return error;
}

Result<std::chrono::milliseconds> interval_from(const Args& args) {
  const std::string typed = *args.value("interval");
  double seconds = 0;
  const auto [end, fault] = std::from_chars(typed.data(), typed.data() + typed.size(), seconds);
  const bool is_number = fault == std::errc() && end == typed.data() + typed.size();
  if (!is_number || !(seconds >= kShortestInterval && seconds <= kLongestInterval)) {
    return Error{"wrong value for '--interval'", typed, "not a number of seconds from 0.25 to 3600", ""};
  }
  return std::chrono::milliseconds(std::lround(seconds * 1000));
}

// What was found when the job was over.
std::vector<model::Finding> findings_kept_in(const fs::path& folder) {
  const auto text = base::read_file(folder / "findings.json", kLargestFindingsFile);
  auto verdict = text.ok() ? report::decode_findings(text.value(), "findings.json")
                           : Result<model::Verdict>(text.error());
  return verdict.ok() ? std::move(verdict.value().findings) : std::vector<model::Finding>();
}

top::Look look_at(const fs::path& folder) {
  std::error_code ignored;
  const fs::path real = fs::canonical(folder, ignored);  // the link may turn to another recording
  auto watcher = std::make_shared<watch::Watcher>(real.empty() ? folder : real);
  return [watcher, name = real.filename().string()] {
    watcher->tick();
    watch::Snapshot snapshot = watcher->job().snapshot();
    snapshot.findings =
        watcher->job().has_ended() ? findings_kept_in(watcher->job().folder()) : watcher->findings();
    if (snapshot.job.empty()) snapshot.job = name;
    return snapshot;
  };
}

ExitStatus status_of(bool has_findings) {
  return has_findings ? ExitStatus::kFindings : ExitStatus::kNothingFound;
}

Result<ExitStatus> print_once(const Args& args, const top::Look& look, Terminal& terminal) {
  const watch::Snapshot snapshot = look();
  TRY(terminal.write(args.has("json") ? top::encode_snapshot(snapshot)
                                      : top::render_plain(snapshot, terminal.width())));
  return status_of(!snapshot.findings.empty());
}

Result<void> check_terminal(const Terminal& terminal) {
  constexpr std::string_view kInstead =
      "lockstep top --once prints one screen, --json a snapshot for programs";
  if (!terminal.out_is_terminal()) {
    return Error{"no live view", "standard output", "not a terminal", std::string(kInstead)};
  }
  const char* term = std::getenv("TERM");
  const bool is_dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  if (is_dumb) {
    return Error{"no live view", "TERM", "the terminal cannot move its cursor", std::string(kInstead)};
  }
  return {};
}

Result<ExitStatus> run_top(const Args& args, Terminal& terminal) {
  const std::chrono::milliseconds interval = TRY(interval_from(args));
  const fs::path folder = TRY(recording_from(args));
  const top::Look look = look_at(folder);
  if (args.has("once") || args.has("json")) return print_once(args, look, terminal);
  TRY(check_terminal(terminal));
  const top::SessionEnd end =
      TRY(top::run_session(look, {.interval = interval, .color = terminal.color_on_out()}));
  return end.by_signal ? ExitStatus{128 + *end.by_signal} : status_of(end.has_findings);
}

constexpr std::string_view kTopDescription[] = {
    "Shows a recorded job while it runs: what every rank does, how fast it steps, its share of "
    "communication, "
    "who waits for whom, and who makes the others late. Ranks in equal state are folded into one row when "
    "there are more than fit; those that need a look come first.",
    "Keys: arrows, PgUp and PgDn move, Enter opens a row or a rank, Esc goes back, s and r sort, f folds, w "
    "shows who waits for whom, ? helps, q leaves.",
    "RECORDING is the folder the ranks write to; without it, lockstep-latest in the working folder.",
};

constexpr Example kTopExamples[] = {
    {"lockstep top", "The newest job that was recorded here"},
    {"lockstep top --once runs/llama | head", "One screen as text"},
    {"lockstep top --json runs/llama | jq '.ranks[] | select(.state == \"late\")'", "For a program"},
};

constexpr Flag kTopFlags[] = {
    {.name = "once", .help = "Print one screen as plain text, every row of it, and end"},
    {.name = "interval",
     .short_name = 'i',
     .value_name = "SECONDS",
     .help = "Look at the job again after this time",
     .default_value = "0.5"},
};

}  // namespace

constinit const Verb kTopVerb{
    .name = "top",
    .one_line = "watch a recorded job while it runs",
    .usage = "top [RECORDING] [flags]",
    .group = VerbGroup::kWatch,
    .description = kTopDescription,
    .examples = kTopExamples,
    .operands = {.name = "RECORDING",
                 .min = 0,
                 .max = 1,
                 .help = "The folder of a recording; default: lockstep-latest",
                 .kind = ValueKind::kFolder},
    .flags = kTopFlags,
    .globals = {.json = true, .color = true},
    .run = run_top,
};

}  // namespace lockstep::cli
