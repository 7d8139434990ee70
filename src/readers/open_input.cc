#include "readers/open_input.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/guarded_mapping.h"
#include "readers/byte_stream.h"
#include "readers/bytes.h"
#include "readers/format.h"
#include "readers/log_file.h"
#include "readers/nccl/log_line.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kLargestCopied = std::size_t{16} << 20;

std::string reason(const char* what) {
  return fmt::format("{}: {}", what, std::generic_category().message(errno));
}

struct OpenInput {
  OpenInput(const std::filesystem::path& path, bool may_be_pipe) {
    if (may_be_pipe && !is_file_at(path)) {
      descriptor =
          base::FileDescriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!descriptor.is_open()) limit = reason("cannot be opened");
      return;
    }
    auto file = base::open_file(path);
    struct stat status {};
    if (!file.ok()) {
      limit = fmt::format("cannot be opened: {}", file.error().why);
    } else if (::fstat(file.value().get(), &status) != 0) {
      limit = reason("cannot be opened");
    } else {
      descriptor = std::move(file).value();
      is_file = true;
      size = static_cast<std::size_t>(status.st_size);
      skip_hole();
    }
  }

  static bool is_file_at(const std::filesystem::path& path) {
    struct stat status {};
    return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  }

  // A log that was emptied under a process that goes on writing begins with a hole as long as it had been.
  // There is no line in it, so the numbers of those behind it stay.
  void skip_hole() {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const off_t data = size <= page ? 0 : ::lseek(descriptor.get(), 0, SEEK_DATA);
    if (data > 0) begin = static_cast<std::size_t>(data) / page * page;
    if (data < 0 && errno == ENXIO) begin = (size - 1) / page * page;
    ::lseek(descriptor.get(), static_cast<off_t>(begin), SEEK_SET);
  }

  base::FileDescriptor descriptor;
  std::string limit;
  bool is_file = false;
  std::size_t begin = 0;
  std::size_t size = 0;
};

Input map(const OpenInput& file) {
  const std::size_t size = file.size - file.begin;
  void* place = base::map_guarded(file.descriptor.get(), file.begin, size);
  if (place == nullptr) return {.bytes = {}, .limit = reason("cannot be mapped")};
  ::madvise(place, size, MADV_SEQUENTIAL);
  return {.bytes = Bytes::from_mapping(static_cast<char*>(place), size), .limit = {}, .is_as_stored = true};
}

Input as_stored(const OpenInput& file, std::size_t largest_copied) {
  const std::size_t size = file.size - file.begin;
  if (size > largest_copied) {
    Input mapped = map(file);
    if (mapped.limit.empty()) return mapped;
  }
  DescriptorStream stream(file.descriptor.get());
  Input input = read_whole(stream, std::min(size, kLargestCopied));
  input.is_as_stored = true;
  return input;
}

}  // namespace

Input open_input(const std::filesystem::path& path, const StreamOptions& options) {
  const OpenInput file(path, options.may_be_pipe);
  if (!file.limit.empty()) return {.bytes = {}, .limit = file.limit};
  if (file.is_file) {
    Input stored = as_stored(file, kLargestCopied);
    if (!is_compressed(stored.bytes.view())) return stored;
    ::lseek(file.descriptor.get(), static_cast<off_t>(file.begin), SEEK_SET);
  }
  DescriptorStream stream(file.descriptor.get());
  if (!is_compressed(stream.start())) return read_stream(stream, path, options);
  Decompressed content(stream, stream.start());
  return read_stream(content, path, options);
}

Input map_input(const std::filesystem::path& path) {
  const OpenInput file(path, false);
  if (!file.limit.empty()) return {.bytes = {}, .limit = file.limit};
  return file.size > file.begin ? map(file) : Input{};
}

namespace {

constexpr std::size_t kMarkEvery = std::size_t{512} << 10;
// Around a line: where a time or a rank may stand that it has not itself, and what it leads to.
constexpr std::size_t kBefore = 1024;
constexpr std::size_t kAfter = 512;
// Behind a mark: the stacks of a process, or torchrun's summary.
constexpr std::size_t kBehindMark = std::size_t{64} << 10;
constexpr std::size_t kStreamInputLongestLine = std::size_t{8} << 10;

// The first lines of a kind say most; of later ones fewer and fewer are enough.
constexpr std::size_t kFirstOfKind = 512;

std::size_t line_begin(std::string_view text, std::size_t place) {
  const std::size_t from = place - std::min(place, kStreamInputLongestLine);
  const std::size_t newline = text.substr(from, place - from).rfind('\n');
  return newline == std::string_view::npos ? from : from + newline + 1;
}

std::size_t line_end(std::string_view text, std::size_t place) {
  const std::string_view rest = text.substr(std::min(place, text.size()), kStreamInputLongestLine);
  const std::size_t newline = rest.find('\n');
  return std::min(text.size(), place + (newline == std::string_view::npos ? rest.size() : newline + 1));
}

}  // namespace

bool CondensedLog::is_worth_keeping(unsigned kind) {
  const std::size_t number = lines_of_kind_[kind]++;
  return number < kFirstOfKind || number % std::bit_floor(number / (kFirstOfKind / 2)) == 0;
}

std::vector<CondensedLog::Range> CondensedLog::worth_keeping(std::string_view part) {
  std::vector<Range> ranges;
  const auto keep = [&](std::size_t begin, std::size_t end) {
    ranges.push_back({line_begin(part, begin), line_end(part, end)});
  };
  for (const TellingLine& line : telling_lines_(part)) {
    if (is_worth_keeping(line.kind)) keep(line.begin - std::min(line.begin, kBefore), line.end + kAfter);
  }
  for_each_mark(part, 0, part.size(), [&](LogMark mark, std::size_t place) {
    if (mark != LogMark::kNccl) return keep(place - std::min(place, kBefore), place + kBehindMark);
    const std::size_t begin = line_begin(part, place);
    if (tells_of_nccl_events(part.substr(begin, line_end(part, place) - begin))) keep(place, place);
  });
  std::ranges::sort(ranges, {}, &Range::begin);
  return ranges;
}

void CondensedLog::append(std::string_view bytes) {
  lines_.add(bytes_.size(), lines_before_ - lines_marked_);
  lines_marked_ = lines_before_;
  bytes_.append(bytes);
  lines_before_ += base::count_lines(bytes);
}

// What follows in the stream is left out, and it may stand in the same huge line.
void CondensedLog::end_line() {
  if (bytes_.size() > 0 && bytes_.view().back() != '\n') bytes_.append("\n");
}

void CondensedLog::add_whole(std::string_view part) {
  for (std::size_t begin = 0; begin < part.size(); begin += kMarkEvery)
    append(part.substr(begin, kMarkEvery));
}

void CondensedLog::add_condensed(std::string_view part) {
  std::size_t done = 0;
  for (const Range& range : worth_keeping(part)) {
    if (range.end <= done) continue;
    const std::size_t begin = std::max(range.begin, done);
    lost_lines_ = lost_lines_ || condensed_bytes_ + (range.end - begin) > most_bytes_;
    if (lost_lines_) break;
    if (begin > done) end_line();
    lines_before_ += base::count_lines(part.substr(done, begin - done));
    append(part.substr(begin, range.end - begin));
    condensed_bytes_ += range.end - begin;
    done = range.end;
  }
  if (done < part.size()) end_line();
  lines_before_ += base::count_lines(part.substr(done));
}

Input CondensedLog::finish() {
  lines_.add(bytes_.size(), lines_before_ - lines_marked_);
  Input input;
  input.bytes = bytes_.release();
  input.lines = std::move(lines_);
  input.lost_lines = lost_lines_;
  return input;
}

namespace {

// Of what cannot be condensed: dumps and traces.
constexpr std::size_t kStreamInputMaxBytes = std::size_t{2} << 30;
constexpr std::size_t kStreamInputSniffedBytes = std::size_t{1} << 20;

void fill(GrowingBuffer& buffer, ByteStream& stream, std::size_t size) {
  while (buffer.size() < size) {
    std::span<char> room = buffer.room();
    room = room.first(std::min(room.size(), size - buffer.size()));
    const std::size_t count = stream.read(room);
    buffer.filled(count);
    if (count < room.size()) break;
  }
}

Input read_on(GrowingBuffer& buffer, ByteStream& stream) {
  fill(buffer, stream, kStreamInputMaxBytes + 1);
  Input input;
  input.limit = stream.limit();
  if (buffer.size() > kStreamInputMaxBytes)
    input.limit = "more than 2 GB through a pipe or compressed; the rest is not read";
  input.bytes = buffer.release();
  return input;
}

enum class StreamKind : std::uint8_t { kLog, kKnown, kUnknown };

StreamKind kind_of(std::string_view start, const std::filesystem::path& path) {
  const Source source{.name = {}, .path = path, .bytes = start.substr(0, kStreamInputSniffedBytes)};
  const Format* format = sniff(source);
  const bool is_log = format == nullptr ? looks_like_a_log(source) : format->stands_in_logs;
  if (is_log) return StreamKind::kLog;
  return format == nullptr ? StreamKind::kUnknown : StreamKind::kKnown;
}

// Up to the end of the last whole line of it; a line that does not end is cut.
std::size_t whole_lines(std::string_view text) {
  constexpr std::size_t kMaxUnendedBytes = std::size_t{64} << 10;
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos) return newline + 1;
  return text.size() > kMaxUnendedBytes ? text.size() : 0;
}

Input condense(GrowingBuffer& buffer, ByteStream& stream, const StreamOptions& options) {
  const std::size_t end_bytes = options.longest_whole / 8;
  CondensedLog log(options.telling_lines, 2 * options.longest_whole);
  const auto take = [&](std::size_t size, const auto& add) {
    const std::size_t taken = whole_lines(buffer.view().substr(0, size));
    add(buffer.view().substr(0, taken));
    buffer.drop_front(taken);
  };
  take(end_bytes, [&](std::string_view start) { log.add_whole(start); });
  for (bool is_over = false; !is_over;) {
    fill(buffer, stream, options.longest_whole);
    is_over = buffer.size() < options.longest_whole;
    take(buffer.size() - std::min(buffer.size(), end_bytes),
         [&](std::string_view part) { log.add_condensed(part); });
  }
  log.add_whole(buffer.view());
  Input input = log.finish();
  input.limit = stream.limit();
  return input;
}

}  // namespace

Input read_whole(ByteStream& stream, std::size_t expected_bytes) {
  GrowingBuffer buffer(expected_bytes + 1);
  return read_on(buffer, stream);
}

Input read_stream(ByteStream& stream, const std::filesystem::path& path, const StreamOptions& options) {
  GrowingBuffer buffer(std::size_t{64} << 10);
  fill(buffer, stream, options.longest_whole);
  if (buffer.size() < options.longest_whole) return read_on(buffer, stream);
  const StreamKind kind = kind_of(buffer.view(), path);
  if (kind == StreamKind::kLog && options.telling_lines) return condense(buffer, stream, options);
  if (kind != StreamKind::kUnknown) return read_on(buffer, stream);
  Input start;  // nobody reads it, and it may never end
  start.limit = fmt::format("unknown format; only the first {} MB were examined",
                            std::max<std::size_t>(1, options.longest_whole >> 20));
  start.bytes = buffer.release();
  return start;
}

}  // namespace lockstep::readers
