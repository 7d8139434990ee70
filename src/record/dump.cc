#include "record/dump.h"

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/escape.h"
#include "record/describe.h"
#include "record/words.h"

namespace lockstep::record {
namespace {

using base::Json;

std::string utc_time(std::uint64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(seconds), wall_ns % 1'000'000'000);
}

std::string text_head(const std::filesystem::path& path, const lockstep_file_header& header) {
  const Json json = describe_header(header);
  const auto text = [&json](const char* key) { return json[key].get<std::string>(); };
  const std::string world = header.world_size >= 0 ? fmt::format(" of {}", header.world_size) : "";
  return fmt::format(
      "{}\n  job {}, rank {}{}, restart {}, host {}, pid {}\n  format {}, written by {}, clock zero at {}\n",
      base::escape_for_terminal(path.string()), base::escape_for_terminal(text("job")), header.rank, world,
      header.restart, base::escape_for_terminal(text("host")), header.pid, header.version,
      base::escape_for_terminal(text("writer")), utc_time(header.wall_ns));
}

std::string text_value(const Json& value) {
  if (!value.is_string()) return base::escape_for_terminal(base::to_text(value, base::JsonLayout::kOneLine));
  const std::string text = base::escape_for_terminal(value.get_ref<const std::string&>());
  const bool needs_quotes = text.empty() || text.find_first_of(" =\"") != std::string::npos;
  return needs_quotes ? fmt::format("\"{}\"", text) : text;
}

// Seconds since the header was written; records without a time keep the column empty.
std::string time_column(const Json& fields, const lockstep_file_header& header) {
  const auto time = fields.find("time_ns");
  if (time == fields.end()) return "";
  const double since =
      static_cast<double>(time->get<std::uint64_t>()) - static_cast<double>(header.monotonic_ns);
  return fmt::format("{:+.6f}", since / 1e9);
}

std::string text_line(const Json& fields, const lockstep_file_header& header) {
  std::string line = fmt::format("{:>16} {:>8} {:<12}", time_column(fields, header),
                                 fields["thread"].get<std::uint32_t>(), fields["record"].get<std::string>());
  for (const auto& [key, value] : fields.items()) {
    const bool is_in_a_column = key == "record" || key == "offset" || key == "thread" || key == "time_ns";
    if (!is_in_a_column) line += fmt::format(" {}={}", key, text_value(value));
  }
  return line + '\n';
}

std::string text_summary(const ReadStats& stats) {
  std::string text = fmt::format("  {} records in {} chunks\n", stats.records, stats.chunks);
  for (const std::string& limit : stats.limits()) text += fmt::format("  {}\n", limit);
  return text;
}

std::string json_line(const char* record, const std::filesystem::path& path, const Json& fields) {
  Json line{{"record", record}, {"file", path.string()}};
  line.update(fields);
  return base::to_text(line, base::JsonLayout::kOneLine) + '\n';
}

}  // namespace

Result<ReadStats> dump_file(const std::filesystem::path& path, const DumpOptions& options,
                            const DumpSink& sink) {
  const Definitions definitions = TRY(Definitions::read(path));
  Reader reader = TRY(Reader::open(path));
  const lockstep_file_header& header = reader.header();
  const bool is_text = options.layout == DumpLayout::kText;
  TRY(sink(is_text ? text_head(path, header) : json_line("header", path, describe_header(header))));

  std::uint64_t shown = 0;
  while (const RecordView* view = reader.next()) {
    if (!options.types.empty() && !options.types.contains(view->type)) continue;
    if (options.limit != 0 && shown == options.limit)
      continue;  // read on: the summary is about the whole file
    ++shown;
    const Json fields = describe(*view, definitions);
    TRY(sink(is_text ? text_line(fields, header) : base::to_text(fields, base::JsonLayout::kOneLine) + '\n'));
  }
  const ReadStats& stats = reader.stats();
  TRY(sink(is_text ? text_summary(stats) : json_line("summary", path, describe_stats(stats))));
  return stats;
}

}  // namespace lockstep::record
