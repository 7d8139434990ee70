#include "record/recording.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text_fields.h"

namespace lockstep::record {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestName = "manifest.json";
constexpr const char* kMarkName = "incomplete";
constexpr const char* kSchema = "lockstep-recording-v1";
constexpr std::string_view kEndedWords = "ended at wall_ns ";
constexpr std::size_t kLargestMark = 64;  // those words and a number
constexpr std::size_t kLargestManifest = std::size_t{16} << 20;

Error error_from(std::string what, const fs::path& where, const std::error_code& code, std::string hint) {
  return Error{std::move(what), where.string(), code.message(), std::move(hint)};
}

base::Json encode_manifest(const Manifest& manifest) {
  base::Json json;
  json["schema"] = kSchema;
  json["job"] = manifest.job;
  json["writer"] = manifest.writer;
  json["command"] = manifest.command;
  if (manifest.world_size) json["world_size"] = *manifest.world_size;
  json["started_wall_ns"] = manifest.started_wall_ns;
  return json;
}

Result<Manifest> decode_manifest(const fs::path& path) {
  const std::string text = TRY(base::read_file(path, kLargestManifest));
  const base::Json json = TRY(base::parse_json(text, path.string()));
  try {
    if (json.at("schema") != kSchema)
      return Error{"cannot read manifest", path.string(), "unknown schema", ""};
    Manifest manifest;
    manifest.job = json.at("job");
    manifest.writer = json.at("writer");
    manifest.command = json.at("command");
    if (json.contains("world_size")) manifest.world_size = json["world_size"].get<int>();
    manifest.started_wall_ns = json.at("started_wall_ns");
    return manifest;
  } catch (const base::Json::exception&) {
    return Error{"cannot read manifest", path.string(), "a member is missing or of the wrong kind", ""};
  }
}

// The number that stands between the first `before` in `text` and whatever follows; -1: none.
int number_after(std::string_view text, std::string_view before) {
  const std::size_t place = text.find(before);
  if (place == std::string_view::npos) return -1;
  const std::string_view digits = text.substr(place + before.size());
  int number = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<RankFile> rank_file_at(const fs::path& path) {
  const std::string name = path.filename().string();
  const int rank = number_after(name, "rank_");
  const int restart = number_after(name, ".restart_");
  if (rank < 0 || restart < 0) return std::nullopt;
  if (name != rank_file_name(rank, static_cast<std::uint32_t>(restart))) return std::nullopt;
  return RankFile{path, rank, static_cast<std::uint32_t>(restart)};
}

}  // namespace

std::string rank_file_name(int rank, std::uint32_t restart) {
  char name[64];
  std::snprintf(name, sizeof name, LOCKSTEP_RANK_FILE_PATTERN, rank, restart);
  return name;
}

Result<void> create_recording(const fs::path& folder, const Manifest& manifest) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    return error_from("cannot make recording folder", folder, code, "choose another place with -o DIR");
  const bool is_empty = fs::is_empty(folder, code);
  if (code)
    return error_from("cannot read recording folder", folder, code, "choose another place with -o DIR");
  if (!is_empty) {
    return Error{"will not record into", folder.string(), "the folder is not empty",
                 "remove it or choose another place with -o DIR"};
  }
  TRY(base::write_file(folder / kMarkName, ""));
  return base::write_file(folder / kManifestName,
                          base::to_text(encode_manifest(manifest), base::JsonLayout::kIndented) + "\n");
}

Result<void> finish_recording(const fs::path& folder) {
  std::error_code code;
  fs::remove(folder / kMarkName, code);
  if (code) return error_from("cannot mark recording as complete", folder, code, "");
  return {};
}

Result<void> note_bad_end(const fs::path& folder, std::uint64_t ended_wall_ns) {
  return base::write_file(folder / kMarkName, fmt::format("{}{}\n", kEndedWords, ended_wall_ns));
}

namespace {

std::optional<std::uint64_t> end_noted_in(const fs::path& mark) {
  const auto text = base::read_file(mark, kLargestMark);
  if (!text.ok() || !text.value().starts_with(kEndedWords)) return std::nullopt;
  return base::number_after<std::uint64_t>(base::word_of(text.value(), '\n'), kEndedWords);
}

}  // namespace

Result<Recording> open_recording(const fs::path& folder) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) return error_from("cannot open recording", folder, code, "");

  Recording recording;
  recording.is_complete = true;
  bool has_manifest = false;
  for (; entries != fs::directory_iterator(); entries.increment(code)) {
    if (code) return error_from("cannot read recording", folder, code, "");
    const fs::path& path = entries->path();
    if (path.filename() == kMarkName) {
      recording.is_complete = false;
      recording.ended_wall_ns = end_noted_in(path);
    }
    if (path.filename() == kManifestName) has_manifest = true;
    if (std::optional<RankFile> file = rank_file_at(path)) recording.rank_files.push_back(*std::move(file));
  }
  if (!has_manifest && recording.rank_files.empty()) {
    return Error{"not a recording", folder.string(), "no manifest.json and no rank_*.lockstep file in it",
                 ""};
  }
  std::ranges::sort(recording.rank_files, {},
                    [](const RankFile& file) { return std::tie(file.rank, file.restart); });

  if (has_manifest) {
    Result<Manifest> manifest = decode_manifest(folder / kManifestName);
    if (manifest.ok()) {
      recording.manifest = std::move(manifest).value();
    } else {
      recording.limits.push_back(fmt::format("the manifest is damaged: {}", manifest.error().why));
    }
  } else {
    recording.limits.emplace_back("the manifest is missing");
  }
  if (!recording.is_complete) recording.limits.emplace_back("the job did not come to a clean end");
  return recording;
}

}  // namespace lockstep::record
