// What the page shows from the logs: start, end and the lines around each piece of evidence, bounded however
// many logs there are and however long their lines; and the loss of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "model/rank.h"
#include "readers/log_file.h"

namespace lockstep::html {

// The loss of a rank at a step, as printed: "step=4 loss=9.15", "Iteration 20: loss 0.31", "{'loss': 1.2}".
struct LossPoint {
  std::int64_t step = 0;  // as printed; where no line says it, the number of the point
  double loss = 0;        // may be NaN or infinite

  bool operator==(const LossPoint&) const = default;
};

// What the numbers of a curve count: steps, epochs where lines tell no step, else the lines with a loss.
enum class LossCount : std::uint8_t { kStep, kEpoch, kLine };

struct LossCurve {
  int rank = model::kUnknownRank;
  LossCount counted = LossCount::kStep;
  std::vector<LossPoint> points;  // in the order in which they were printed
};

// Ascending by rank. A rank with more than `max_points` keeps every second, third ... of them, and its last.
std::vector<LossCurve> loss_curves_in(std::span<const readers::LogFile> logs, std::size_t max_points);

// How far a job has come, by the last line of its log that tells it.
struct LogProgress {
  LossCount counted = LossCount::kStep;
  std::optional<std::int64_t> number = {};
  std::optional<double> loss = {};
};

// Of the end of a log. Nothing: no line tells a step, an epoch or a loss.
std::optional<LogProgress> progress_in(std::string_view end_of_log);

struct LogLine {
  std::int64_t number = 0;  // in its file, from 1
  std::optional<int> rank;
  std::optional<std::int64_t> time_ns;  // of the log's own clock
  std::string text;                     // valid UTF-8
  std::size_t bytes_cut = 0;            // how much longer it is
};

struct LogExcerpt {
  std::string file;
  std::optional<int> rank;
  std::int64_t lines_in_all = 0;
  std::vector<LogLine> lines;  // ascending; numbers that are missing were left out
};

struct LogBounds {
  std::size_t max_files = 2048;
  std::size_t max_lines = 60'000;                // over all files
  std::size_t max_bytes = std::size_t{6} << 20;  // likewise
  std::size_t max_line_bytes = 2000;
  std::size_t around_evidence = 30;  // lines to either side
};

struct LogExcerpts {
  std::vector<LogExcerpt> files;  // those that hold evidence first
  std::size_t files_left_out = 0;
};

// Linear in the logs; keeps only what it gives.
LogExcerpts excerpts_of(std::span<const readers::LogFile> logs, const model::Verdict& verdict,
                        const LogBounds& bounds = {});

}  // namespace lockstep::html
