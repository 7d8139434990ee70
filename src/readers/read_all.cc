#include "readers/read_all.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "readers/copies.h"
#include "readers/format.h"
#include "readers/open_input.h"
#include "readers/part_store.h"
#include "readers/rank_in_name.h"
#include "readers/walk.h"

namespace lockstep::readers {
namespace {

// Events with gaps between them would look like a rank that fell behind.
constexpr std::string_view kLostLines =
    "a long stream with very many lines of interest: those in its middle and the events it tells are not "
    "looked at; give it as a plain file to have all of it read";

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
  constexpr std::size_t kLeast = std::size_t{256} << 10;
  constexpr std::size_t kMost = std::size_t{64} << 20;
  return std::clamp(kOfAll / std::max<std::size_t>(1, files), kLeast, kMost);
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
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t wanted =
        std::min<std::size_t>(options_.threads > 0 ? options_.threads : cores, files_.size());
    std::vector<std::thread> others;
    try {
      while (others.size() + 1 < wanted) others.emplace_back([this] { read_files(); });
    } catch (const std::system_error&) {
      // Fewer threads than wanted do the same work.
    }
    read_files();
    for (std::thread& other : others) other.join();
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
    std::ranges::sort(all.empty_files);
    std::ranges::sort(all.unknown_files);
    if (std::string limit = store_.limit(); !limit.empty()) all.limits.push_back(std::move(limit));
    return all;
  }

 private:
  void read_files() {
    for (std::size_t file = next_++; file < files_.size(); file = next_++) {
      Input input = open(file);
      if (is_first_of_its_kind(file, input)) read(file, std::move(input));
      const std::lock_guard lock(mutex_);
      progress_.files_done++;
      progress_.files = files_.size();
      progress_.bytes_done += files_[file].size_bytes;
      if (options_.on_progress) options_.on_progress(progress_);
    }
  }

  Input open(std::size_t file) {
    try {
      Input input = open_input(files_[file].path, stream_options_);
      if (!input.limit.empty()) limit(file, input.limit);
      return input;
    } catch (const std::exception& fault) {
      limit(file, fmt::format("cannot be opened: {}", fault.what()));
      return {};
    }
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
    const Input again = open_input(files_[original].path, stream_options_);
    return is_same(input.bytes.view(), again.bytes.view(),
                   input.bytes.is_mapped_file() && again.bytes.is_mapped_file());
  }

  void read(std::size_t file, Input input) {
    Source source{.name = files_[file].name, .path = files_[file].path, .bytes = input.bytes.view()};
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

  // Many logs are kept at once, so those that are files are mapped.
  void keep_log(std::size_t file, Input input, base::LineMarks lines) {
    if (input.is_as_stored) input = map_input(files_[file].path);
    const RankInName writer = rank_in_name(files_[file].path);
    outcomes_[file].log = LogFile{.name = files_[file].name,
                                  .rank = writer.is_guess ? std::nullopt : writer.rank,
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
