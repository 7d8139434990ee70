#include "readers/read_all.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <xxhash.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/on_threads.h"
#include "readers/event_budget.h"
#include "readers/format.h"
#include "readers/open_input.h"
#include "readers/rank_in_name.h"
#include "readers/ranks_of_names.h"
#include "readers/walk.h"

namespace lockstep::readers {

namespace {

// Which inputs are copies of one another, so that nothing is counted twice.

struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  auto operator<=>(const Digest&) const = default;
};

class Copies {
 public:
  // The file with this content that was shown before, none for a new content. Files whose names tell
  // different ranks, hosts or attempts are not copies, however alike: two ranks may well have written the
  // same.
  std::optional<std::size_t> first_like(std::size_t file, const Digest& digest, const RankInName& writer);

 private:
  using Writer = std::tuple<std::optional<int>, std::optional<int>, std::optional<int>, std::string>;

  std::map<Digest, std::map<Writer, std::size_t>> files_;
};

constexpr std::size_t kLargestWhole = std::size_t{4} << 20;
constexpr std::size_t kSamples = 16;
constexpr std::size_t kSampleBytes = std::size_t{64} << 10;

// Of a large input only samples are looked at: two that differ may have the same digest, and is_same()
// decides.
Digest digest_of(std::string_view bytes) {
  if (bytes.size() <= kLargestWhole) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {.low = hash.low64, .high = hash.high64};
  }
  std::vector<std::uint64_t> hashes = {bytes.size()};
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t at = (bytes.size() - kSampleBytes) / (kSamples - 1) * i;
    hashes.push_back(XXH3_64bits(bytes.data() + at, kSampleBytes));
  }
  const XXH128_hash_t hash = XXH3_128bits(hashes.data(), hashes.size() * sizeof(std::uint64_t));
  return {.low = hash.low64, .high = hash.high64};
}

bool is_same(std::string_view one, std::string_view other, bool are_mapped_files) {
  if (one.size() != other.size()) return false;
  for (std::size_t at = 0; at < one.size(); at += kLargestWhole) {
    const std::string_view part = one.substr(at, kLargestWhole);
    const std::string_view like = other.substr(at, kLargestWhole);
    if (part != like) return false;
    if (!are_mapped_files) continue;
    base::forget_pages(part);
    base::forget_pages(like);
  }
  return true;
}

std::optional<std::size_t> Copies::first_like(std::size_t file, const Digest& digest,
                                              const RankInName& writer) {
  std::map<Writer, std::size_t>& alike = files_[digest];
  const bool is_of_nobody = writer == RankInName{};
  if (is_of_nobody && !alike.empty()) return alike.begin()->second;
  const auto [place, is_new] =
      alike.try_emplace(Writer(writer.rank, writer.local_rank, writer.restart, writer.host), file);
  return is_new ? std::nullopt : std::optional(place->second);
}

// Events with gaps between them would look like a rank that fell behind.
constexpr std::string_view kLostLines =
    "a long stream with very many lines of interest: those in its middle and the events it tells are not "
    "looked at; give it as a plain file to have all of it read";

// A mapping costs a page and more of the kernel's memory.
constexpr std::size_t kLargestCopiedLog = std::size_t{64} << 10;
constexpr std::size_t kMaxCopiedLogs = std::size_t{64} << 20;  // of all together

// What one file gave, besides its part.
struct Outcome {
  std::vector<std::string> limits;
  bool is_empty = false;
  bool is_unknown = false;
  std::optional<LogFile> log;
};

// Logs that come as streams stay in memory until all are judged, so many must do with less each.
std::size_t kept_of_stream(std::size_t files) {
  constexpr std::size_t kOfAll = std::size_t{256} << 20;
  constexpr std::size_t kMin = std::size_t{256} << 10;
  constexpr std::size_t kMax = std::size_t{64} << 20;
  return std::clamp(kOfAll / std::max<std::size_t>(1, files), kMin, kMax);
}

void number_logs(std::vector<LogFile>& logs) {
  std::vector<std::string> names;
  for (const LogFile& log : logs) names.push_back(log.name);
  const std::vector<std::optional<int>> ranks = ranks_of_names(names);
  for (std::size_t log = 0; log < logs.size(); ++log) logs[log].rank = ranks[log];
}

class ReadAll {
 public:
  ReadAll(std::vector<InputFile> files, const ReadOptions& options)
      : options_(options),
        files_(std::move(files)),
        outcomes_(files_.size()),
        store_(files_.size(), options.budget) {
    stream_options_ = {options.telling_lines, kept_of_stream(files_.size())};
    for (const InputFile& file : files_) progress_.bytes += file.size_bytes;
    // A copy whose name tells nothing gives way to the one whose name tells the rank.
    std::stable_partition(files_.begin(), files_.end(),
                          [](const InputFile& file) { return rank_in_name(file.path) != RankInName{}; });
  }

  void run() {
    const std::size_t wanted = options_.threads > 0 ? options_.threads : base::core_count();
    base::on_threads(std::min(wanted, files_.size()), [this] { read_files(); });
  }

  ReadResult result(std::vector<std::string> limits) {
    ReadResult all{.parts = {},
                   .limits = std::move(limits),
                   .files_read = store_.files(),
                   .logs = {},
                   .empty_files = {},
                   .unknown_files = {}};
    all.parts = store_.take();
    for (std::size_t file = 0; file < files_.size(); ++file) {
      std::ranges::move(outcomes_[file].limits, std::back_inserter(all.limits));
      if (outcomes_[file].is_empty) all.empty_files.push_back(files_[file].name);
      if (outcomes_[file].is_unknown) all.unknown_files.push_back(files_[file].name);
      if (outcomes_[file].log) all.logs.push_back(*std::move(outcomes_[file].log));
    }
    std::ranges::sort(all.logs, {}, &LogFile::name);
    number_logs(all.logs);
    std::ranges::sort(all.empty_files);
    std::ranges::sort(all.unknown_files);
    if (std::string limit = store_.limit(); !limit.empty()) all.limits.push_back(std::move(limit));
    return all;
  }

 private:
  void read_files() {
    for (std::size_t file = next_++; file < files_.size(); file = next_++) {
      const PassTurnOn at_the_end{*this, file};
      try {
        Input input = open(file);
        if (is_first_of_its_kind(file, input)) read(file, std::move(input));
      } catch (const std::exception& fault) {
        limit(file, fmt::format("cannot be read: {}", fault.what()));
      }
      const std::lock_guard lock(mutex_);
      progress_.files_done++;
      progress_.files = files_.size();
      progress_.bytes_done += files_[file].size_bytes;
      if (options_.on_progress) options_.on_progress(progress_);
    }
  }

  // Whatever became of the file: those behind it wait for their turn.
  struct PassTurnOn {
    ReadAll& all;
    std::size_t file;
    ~PassTurnOn() {
      std::unique_lock lock(all.mutex_);
      all.turn_changed_.wait(lock, [this] { return all.turn_ >= file; });
      if (all.turn_ == file) ++all.turn_;
      all.turn_changed_.notify_all();
    }
  };

  Input open(std::size_t file) {
    Input input = open_input(files_[file].path, options_for(file));
    if (!input.limit.empty()) limit(file, input.limit);
    return input;
  }

  StreamOptions options_for(std::size_t file) const {
    StreamOptions options = stream_options_;
    options.may_be_pipe = files_[file].is_named;
    return options;
  }

  // Files are asked in their order, whichever thread is first: so the earliest of several copies is the one
  // that counts.
  bool is_first_of_its_kind(std::size_t file, const Input& input) {
    const std::string_view bytes = input.bytes.view();
    const Digest digest = digest_of(bytes);
    const RankInName writer = rank_in_name(files_[file].path);
    std::unique_lock lock(mutex_);
    turn_changed_.wait(lock, [&] { return turn_ == file; });
    ++turn_;
    turn_changed_.notify_all();
    auto original = bytes.empty() ? std::nullopt : copies_.first_like(file, digest, writer);
    lock.unlock();
    if (original && !is_copy_of(*original, input)) original.reset();
    if (original) limit(file, fmt::format("a copy of {}; counted once", files_[*original].name));
    return !original;
  }

  bool is_copy_of(std::size_t original, const Input& input) {
    const Input again = open_input(files_[original].path, options_for(original));
    return is_same(input.bytes.view(), again.bytes.view(),
                   input.bytes.is_mapped_file() && again.bytes.is_mapped_file());
  }

  void read(std::size_t file, Input input) {
    Source source{.name = files_[file].name, .path = files_[file].path, .bytes = input.bytes.view()};
    source.is_as_stored = input.is_as_stored;
    try {
      LogMarks marks;
      if (looks_like_text(source)) {
        marks = marks_of(source, input.bytes.is_mapped_file());
        if (input.lines) marks.lines = *input.lines;
        source.marks = &marks;
      }
      if (input.lost_lines) limit(file, kLostLines);
      std::vector<const Format*> formats;
      if (!input.lost_lines) formats = formats_in(source);
      std::vector<model::Job> parts;
      for (const Format* format : formats) parts.push_back(format->read(source));
      if (input.bytes.has_shrunk()) limit(file, kHasShrunk);
      const bool is_log = formats.empty() ? looks_like_a_log(source) : formats.front()->stands_in_logs;
      if (is_log && !source.bytes.empty()) {
        keep_log(file, std::move(input), std::move(marks.lines));
      } else if (formats.empty()) {
        outcomes_[file].is_empty = source.bytes.empty() && input.limit.empty();
        outcomes_[file].is_unknown = !source.bytes.empty();
        if (outcomes_[file].is_empty) limit(file, "empty");
      }
      input = {};
      const std::lock_guard lock(mutex_);
      for (model::Job& part : parts) store_.put(file, std::move(part));
    } catch (const std::exception& fault) {
      limit(file, fmt::format("cannot be read: {}", fault.what()));
    }
  }

  LogMarks marks_of(const Source& source, bool is_mapped_file) {
    std::optional<LogMarks> seen;
    if (options_.first_look && looks_like_a_log(source))
      seen = options_.first_look(source.name, source.bytes, is_mapped_file, files_.size());
    return seen ? *std::move(seen) : marks_in(source.bytes, is_mapped_file);
  }

  // Many logs are kept at once, so those that are files are mapped: but for small ones, of which there may be
  // more than a process can map, and for those that somebody changed since they were read.
  void keep_log(std::size_t file, Input input, base::LineMarks lines) {
    const std::size_t size = input.bytes.view().size();
    const bool is_small = size <= kLargestCopiedLog && (copied_logs_ += size) <= kMaxCopiedLogs;
    if (input.is_as_stored && !is_small && !input.bytes.is_mapped_file()) {
      Input mapped = map_input(files_[file].path);
      if (mapped.bytes.view().size() == size) input.bytes = std::move(mapped.bytes);
    }
    outcomes_[file].log = LogFile{.name = files_[file].name,
                                  .rank = std::nullopt,
                                  .bytes = std::move(input.bytes),
                                  .lines = std::move(lines)};
  }

  void limit(std::size_t file, std::string_view why) {
    outcomes_[file].limits.push_back(fmt::format("{}: {}", files_[file].name, why));
  }

  const ReadOptions& options_;
  StreamOptions stream_options_;
  std::vector<InputFile> files_;
  std::vector<Outcome> outcomes_;  // each written by the one thread that reads the file
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> copied_logs_ = 0;  // bytes

  std::mutex mutex_;  // guards all below
  std::condition_variable turn_changed_;
  std::size_t turn_ = 0;
  Copies copies_;
  PartStore store_;
  ReadProgress progress_;
};

}  // namespace

ReadResult read_all(const std::vector<std::filesystem::path>& paths, const ReadOptions& options) {
  try {
    Walk found = walk(paths);
    ReadAll all(std::move(found.files), options);
    all.run();
    return all.result(std::move(found.limits));
  } catch (const std::exception& fault) {
    return {.parts = {},
            .limits = {fmt::format("reading ended: {}", fault.what())},
            .files_read = 0,
            .logs = {},
            .empty_files = {},
            .unknown_files = {}};
  }
}

}  // namespace lockstep::readers
