#include "readers/lockstep/recording.h"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "base/fast_json.h"
#include "readers/lockstep/event_builder.h"
#include "record/byte_source.h"
#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::readers {

namespace {

constexpr std::string_view kSchema = "\"lockstep-host-v1\"";
constexpr std::size_t kRecordingHead = 256;
constexpr std::size_t kRecordingMaxBytes = std::size_t{64} << 20;

}  // namespace

bool recognises_host_account(const Source& source) {
  return source.bytes.starts_with('{') &&
         source.bytes.substr(0, kRecordingHead).find(kSchema) != std::string_view::npos;
}

model::Job read_host_account(const Source& source) {
  model::Job job;
  job.sources = {source.name};
  base::FastJsonParser parser;
  const auto json = source.bytes.size() > kRecordingMaxBytes ? std::nullopt : parser.parse(source.bytes);
  if (!json) {
    job.limits.push_back(fmt::format("{}: cut, so what it says is not known", source.name));
    return job;
  }
  base::for_each_element(base::member(*json, "limits"), [&](base::FastJson limit) {
    if (const auto text = base::string_of(limit)) job.limits.emplace_back(*text);
  });
  return job;
}

namespace {

constexpr std::string_view kMagic{LOCKSTEP_FILE_MAGIC, 8};

// The mark that stands in the folder of a recording until the job came to a clean end.
bool is_marked_incomplete(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file.parent_path() / "incomplete", ignored);
}

// Without the mark the whole job came to a clean end: nobody is missed who said no goodbye.
std::vector<std::string> limits_of(const std::string& name, const std::filesystem::path& path,
                                   record::ReadStats stats) {
  if (!is_marked_incomplete(path)) stats.has_goodbye = true;
  std::vector<std::string> limits = stats.limits();
  for (std::string& limit : limits) limit = fmt::format("{}: {}", name, limit);
  return limits;
}

// At least one where something is missing: what is not here may still have happened.
std::uint64_t events_lost(const record::ReadStats& stats, std::uint64_t dropped) {
  const std::uint64_t damaged =
      stats.is_damaged()
          ? std::max<std::uint64_t>(1, (stats.lost_bytes + stats.missing_bytes) / sizeof(lockstep_call))
          : 0;
  return std::max(stats.dropped, dropped) + damaged;
}

std::string backend_of(const model::Job& job) {
  for (const model::Communicator& communicator : job.communicators.values()) {
    if (!communicator.backend.empty()) return communicator.backend;
  }
  return {};
}

}  // namespace

bool recognises_recording(const Source& source) {
  return source.bytes.starts_with(kMagic);
}

model::Job read_recording(const Source& source) {
  return read_record_bytes(source.name, source.path, [&] {
    // Its holes, which may be most of it, are only passed over where they are known.
    Result<std::unique_ptr<record::ByteSource>> file = Error{};
    if (source.is_as_stored) file = record::open_byte_source(source.path);
    return file.ok() ? std::move(file).value() : record::byte_source_over(source.bytes);
  });
}

model::Job read_record_bytes(const std::string& name, const std::filesystem::path& path,
                             const OpenBytes& open) {
  model::Job job;
  job.sources = {name};
  auto definition_bytes = open();
  auto bytes = open();
  if (definition_bytes == nullptr || bytes == nullptr) {
    job.limits.push_back(fmt::format("{}: cannot be read any more", name));
    return job;
  }
  const std::uint64_t size = bytes->size();
  auto definition_reader =
      record::Reader::over(std::move(definition_bytes), path, record::ChunkFilter::kDefinitions);
  auto reader = record::Reader::over(std::move(bytes), path);
  if (!reader.ok() || !definition_reader.ok()) {
    const Error& error = reader.ok() ? definition_reader.error() : reader.error();
    job.limits.push_back(fmt::format("{}: {}", name, error.why));
    return job;
  }
  const auto definitions = record::Definitions::read(std::move(definition_reader).value());
  EventBuilder builder(reader.value().header(), definitions, job);
  builder.expect_events(size / (sizeof(lockstep_call) + sizeof(lockstep_done)));
  std::uint32_t position = 0;
  while (const record::RecordView* view = reader.value().next()) builder.take(*view, ++position);
  model::RankHistory history = std::move(builder).finish();
  const record::ReadStats& stats = reader.value().stats();
  history.events_lost = events_lost(stats, history.events_lost);
  if (stats.overwritten_chunks != 0) history.begins_at_start = false;
  job.limits = limits_of(name, path, stats);
  job.backend = backend_of(job);
  job.ranks.push_back(std::move(history));
  return job;
}

}  // namespace lockstep::readers
