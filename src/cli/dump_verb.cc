#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "record/dump.h"
#include "record/recording.h"
#include "replay/extent.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Result<std::uint64_t> parse_limit(const std::string& text) {
  std::uint64_t limit = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (fault != std::errc() || end != text.data() + text.size() || limit == 0) {
    return Error{fmt::format("'--limit' cannot be '{}'", text), "", "", "give a whole number from 1"};
  }
  return limit;
}

Result<record::DumpOptions> options_from(const Args& args) {
  record::DumpOptions options;
  if (args.has("json")) options.layout = record::DumpLayout::kJsonLines;
  for (const std::string& word : args.values("type"))
    options.types.insert(*record::record_type_with_word(word));
  if (const auto limit = args.value("limit")) options.limit = TRY(parse_limit(*limit));
  return options;
}

// The files to show: a file stands for itself, a folder for the record files of its recording.
Result<std::vector<fs::path>> files_at(const std::string& operand, Terminal& terminal) {
  std::error_code ignored;
  if (!fs::is_directory(operand, ignored)) return std::vector<fs::path>{operand};
  const record::Recording recording = TRY(record::open_recording(operand));
  for (const std::string& limit : recording.limits) terminal.tell(fmt::format("{}: {}\n", operand, limit));
  std::vector<fs::path> files;
  for (const record::RankFile& file : recording.rank_files) files.push_back(file.path);
  return files;
}

// How far each rank can be replayed, where the recording holds payload.
void print_payload_facts(const std::string& operand, Terminal& terminal) {
  const auto job = replay::open_job(operand);
  if (!job.ok()) return;
  for (const record::Payload& rank : job.value().ranks) {
    terminal.tell(fmt::format("{}: rank {} can be replayed: {}\n", operand, rank.rank,
                              replay::in_words(replay::extent_of(rank, job.value()))));
  }
}

Result<ExitStatus> run_dump(const Args& args, Terminal& terminal) {
  const record::DumpOptions options = TRY(options_from(args));
  ExitStatus status = ExitStatus::kNothingFound;
  for (const std::string& operand : args.operands) {
    print_payload_facts(operand, terminal);
    for (const fs::path& file : TRY(files_at(operand, terminal))) {
      const record::ReadStats stats =
          TRY(record::dump_file(file, options, [&](std::string_view line) { return terminal.write(line); }));
      if (stats.is_damaged()) status = ExitStatus::kFindings;
    }
  }
  return status;
}

constexpr std::string_view kDumpDescription[] = {
    "Prints every record of the given record files, one line each, in the order in which they stand in the "
    "file. "
    "A folder is a recording: all its record files are shown. A damaged file is shown as far as it can be "
    "read, and "
    "the closing lines say what is missing.",
    "With --json each line is a JSON object: first {\"record\":\"header\"}, then the records, at last "
    "{\"record\":\"summary\"}. Exit status 1 means that a file is damaged.",
};

constexpr Example kDumpExamples[] = {
    {"lockstep dump run/rank_00003.restart_0.lockstep", "Everything rank 3 recorded"},
    {"lockstep dump --type=call --limit=20 run", "The first 20 collectives of every rank"},
    {"lockstep dump --json run | jq 'select(.record == \"call\")'", "The same for a program"},
};

constexpr Flag kDumpFlags[] = {
    {.name = "type",
     .short_name = 't',
     .value_name = "TYPE",
     .help = "Only records of this type",
     .repeatable = true,
     .choices = record::kRecordTypeWords},
    {.name = "limit", .short_name = 'n', .value_name = "N", .help = "At most N records of each file"},
};

}  // namespace

constinit const Verb kDumpVerb{
    .name = "dump",
    .one_line = "show a record file in readable form",
    .usage = "dump FILE|FOLDER... [flags]",
    .group = VerbGroup::kDeeper,
    .description = kDumpDescription,
    .examples = kDumpExamples,
    .operands = {.name = "FILE|FOLDER",
                 .min = 1,
                 .max = Operands::kAnyNumber,
                 .help = "A record file, or a recording folder",
                 .kind = ValueKind::kFile},
    .flags = kDumpFlags,
    .globals = {.json = true},
    .run = run_dump,
};

}  // namespace lockstep::cli
