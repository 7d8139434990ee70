#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/lines.h"
#include "run/watch/snapshot.h"
#include "top/figures.h"
#include "top/line.h"
#include "top/pages/pages.h"
#include "top/rows/row.h"
#include "top/rows/waits.h"

namespace lockstep::top {

namespace {

// All ranks in one line, from the first to the last: a cell stands for equally many ranks and shows the one
// that needs a look most.

struct Cell {
  char mark;
  Ink ink;
};

Cell cell_of(Standing standing) {
  switch (standing) {
    case Standing::kGuilty:
      return {'!', Ink::kAlarm};
    case Standing::kDead:
      return {'X', Ink::kAlarm};
    case Standing::kStopped:
      return {'T', Ink::kAlarm};
    case Standing::kLate:
      return {'L', Ink::kAlarm};
    case Standing::kStraggler:
      return {'s', Ink::kWarning};
    case Standing::kWaiting:
      return {'w', Ink::kWarning};
    case Standing::kRunning:
      return {'.', Ink::kGood};
    case Standing::kStarting:
      return {':', Ink::kDim};
    case Standing::kEnded:
      return {'_', Ink::kDim};
  }
  return {'?', Ink::kPlain};
}

// `standings` are those of the snapshot's ranks, of which there is at least one.
Line strip_line(const watch::Snapshot& snapshot, const std::vector<Standing>& standings, int columns) {
  const std::string first = fmt::format("{} ", snapshot.ranks.front().rank);
  const std::string last = fmt::format(" {}", snapshot.ranks.back().rank);
  const int room = std::max(1, columns - static_cast<int>(first.size() + last.size()));
  const std::size_t ranks_a_cell =
      (standings.size() + static_cast<std::size_t>(room) - 1) / static_cast<std::size_t>(room);
  Line line(first, Ink::kDim);
  std::string run;
  Ink ink = Ink::kPlain;
  for (std::size_t from = 0; from < standings.size(); from += ranks_a_cell) {
    const std::size_t to = std::min(from + ranks_a_cell, standings.size());
    const auto at = [&](std::size_t index) { return standings.begin() + static_cast<std::ptrdiff_t>(index); };
    const Cell cell = cell_of(*std::min_element(at(from), at(to)));
    if (cell.ink != ink && !run.empty()) line.add(std::exchange(run, {}), ink);
    ink = cell.ink;
    run += cell.mark;
  }
  return line.add(run, ink).add(last, Ink::kDim);
}

constexpr int kRowsForStrip = 16;           // a lower screen has no room for it
constexpr std::size_t kRanksForStrip = 17;  // fewer are seen in the table at once
constexpr int kRowsForLongVerdict = 20;
constexpr int kColumnsBesideCurve = 52;

std::size_t count_hosts(const watch::Snapshot& snapshot) {
  std::set<std::string_view> hosts;
  for (const watch::RankView& view : snapshot.ranks) {
    if (!view.host.empty()) hosts.insert(view.host);
  }
  return hosts.size();
}

std::string size_in_words(const watch::Snapshot& snapshot) {
  const std::size_t seen = snapshot.ranks.size();
  const auto world = static_cast<std::size_t>(std::max(snapshot.world_size.value_or(0), 0));
  std::string out = world > seen ? fmt::format("{} of {} ranks", grouped(seen), grouped(world))
                                 : fmt::format("{} rank{}", grouped(seen), seen == 1 ? "" : "s");
  const std::size_t hosts = count_hosts(snapshot);
  if (hosts > 0) out += fmt::format(" on {} host{}", grouped(hosts), hosts == 1 ? "" : "s");
  return out;
}

std::string kind_of(const watch::Snapshot& snapshot) {
  const std::string framework = safe(snapshot.framework);
  const std::string backend = safe(snapshot.backend);
  if (framework.empty()) return backend;
  return backend.empty() || backend == framework ? framework : fmt::format("{} over {}", framework, backend);
}

std::string age_of(const watch::Snapshot& snapshot) {
  if (snapshot.started_wall_ns <= 0 || snapshot.taken_wall_ns < snapshot.started_wall_ns) return "";
  return short_time(snapshot.taken_wall_ns - snapshot.started_wall_ns);
}

Line job_line(const watch::Snapshot& snapshot, int columns) {
  const std::string age = age_of(snapshot);
  const std::string right = snapshot.is_over ? "the job has ended"
                            : age.empty()    ? "running"
                                             : fmt::format("running {}", age);
  const std::string kind = kind_of(snapshot);
  const std::string middle = kind.empty() ? size_in_words(snapshot) : kind + ", " + size_in_words(snapshot);
  const int right_at = std::max(0, columns - report::display_width(right));
  const int job_room = std::max(8, right_at - report::display_width(middle) - 4);
  Line line(cut(snapshot.job.empty() ? "(no name)" : safe(snapshot.job), job_room), Ink::kBold);
  line.add("  ").add(cut(middle, right_at - line.width() - 2));
  return line.fill_to(right_at).add(right, snapshot.is_over ? Ink::kBold : Ink::kGood);
}

struct Share {
  double sum = 0;
  std::size_t count = 0;

  void add(const std::optional<double>& value) {
    if (!value || std::isnan(*value)) return;
    sum += *value;
    ++count;
  }
};

void add_share(Line& line, std::string_view name, const Share& share) {
  if (share.count == 0) return;
  line.add(fmt::format("{}{} ", line.width() == 0 ? "" : "   ", name));
  line.add(short_share(share.sum / static_cast<double>(share.count)), Ink::kBold);
}

struct Count {
  Standing standing;
  std::string_view word;
  Ink ink;
};

constexpr Count kCounts[] = {
    {Standing::kGuilty, "guilty", Ink::kAlarm},
    {Standing::kDead, "dead", Ink::kAlarm},
    {Standing::kStopped, "stopped", Ink::kAlarm},
    {Standing::kLate, "late", Ink::kAlarm},
    {Standing::kStraggler, "straggling", Ink::kWarning},
    {Standing::kWaiting, "waiting", Ink::kWarning},
    {Standing::kRunning, "running", Ink::kGood},
    {Standing::kStarting, "starting", Ink::kDim},
    {Standing::kEnded, "ended", Ink::kDim},
};

Line counts_line(const std::vector<Standing>& standings) {
  Line line;
  for (const Count& entry : kCounts) {
    const auto count =
        static_cast<std::size_t>(std::count(standings.begin(), standings.end(), entry.standing));
    if (count == 0) continue;
    line.add(line.width() == 0 ? "" : "  ").add(fmt::format("{} {}", grouped(count), entry.word), entry.ink);
  }
  return line;
}

Line figures_line(const Scene& scene) {
  Share communication;
  Share data_wait;
  for (const watch::RankView& view : scene.snapshot.ranks) {
    communication.add(view.communication_share);
    data_wait.add(view.data_wait_share);
  }
  Line line;
  const auto step_rate = job_step_rate(scene.snapshot);
  if (const auto rate = step_rate ? step_rate : scene.history.job_calls_per_second()) {
    line.add(short_rate(*rate), Ink::kBold).add(step_rate ? " steps/s" : " calls/s");
    const std::string curve = sparkline(scene.history.of_job(), scene.size.columns - kColumnsBesideCurve);
    if (!curve.empty()) line.add(" ").add(curve, Ink::kBusy);
  }
  add_share(line, "communication", communication);
  add_share(line, "data wait", data_wait);
  return line;
}

void add_verdict(const Scene& scene, std::vector<Line>& lines) {
  if (scene.snapshot.findings.empty()) return;
  const std::size_t others = scene.snapshot.findings.size() - 1;
  std::string text = safe(scene.snapshot.findings.front().title);
  if (others > 0) text += fmt::format(" (and {} more: w)", others);
  const std::size_t room = scene.size.rows >= kRowsForLongVerdict ? 2 : 1;
  std::vector<std::string> pieces = report::wrap(text, std::max(1, scene.size.columns - 2));
  for (std::size_t i = 0; i < std::min(room, pieces.size()); ++i) {
    const bool is_cut = i + 1 == room && pieces.size() > room;
    const std::string shown = is_cut ? pieces[i] + " " + pieces[i + 1] : pieces[i];
    lines.push_back(Line(i == 0 ? "! " : "  ", Ink::kAlarm).add(shown, Ink::kAlarm));
  }
}

}  // namespace

std::vector<Line> header_lines(const Scene& scene) {
  const std::vector<Standing> standings = standings_of(scene.snapshot);
  std::vector<Line> lines;
  lines.push_back(job_line(scene.snapshot, scene.size.columns));
  const Line figures = figures_line(scene);
  if (figures.width() > 0) lines.push_back(figures);
  if (!standings.empty()) lines.push_back(counts_line(standings));
  const bool has_strip = scene.size.rows >= kRowsForStrip && standings.size() >= kRanksForStrip;
  if (has_strip) lines.push_back(strip_line(scene.snapshot, standings, scene.size.columns));
  add_verdict(scene, lines);
  lines.emplace_back();
  return lines;
}

}  // namespace lockstep::top
