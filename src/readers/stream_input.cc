#include "readers/stream_input.h"

#include <algorithm>

#include "readers/condensed_log.h"
#include "readers/format.h"
#include "readers/growing_buffer.h"
#include "readers/log_file.h"

namespace lockstep::readers {
namespace {

// Of what cannot be condensed: dumps and traces.
constexpr std::size_t kMostBytes = std::size_t{2} << 30;
constexpr std::size_t kSniffedBytes = std::size_t{1} << 20;

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
  fill(buffer, stream, kMostBytes + 1);
  Input input;
  input.limit = stream.limit();
  if (buffer.size() > kMostBytes)
    input.limit = "more than 2 GB through a pipe or compressed; the rest is not read";
  input.bytes = buffer.release();
  return input;
}

bool is_log(std::string_view start, const std::filesystem::path& path) {
  const Source source{.name = {}, .path = path, .bytes = start.substr(0, kSniffedBytes)};
  const Format* format = sniff(source);
  return format == nullptr ? looks_like_a_log(source) : format->stands_in_logs;
}

// Up to the end of the last whole line of it; a line that does not end is cut.
std::size_t whole_lines(std::string_view text) {
  constexpr std::size_t kLongestLine = std::size_t{64} << 10;
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos) return newline + 1;
  return text.size() > kLongestLine ? text.size() : 0;
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
  const bool is_long = buffer.size() == options.longest_whole;
  if (is_long && options.telling_lines && is_log(buffer.view(), path))
    return condense(buffer, stream, options);
  return read_on(buffer, stream);
}

}  // namespace lockstep::readers
