#include "readers/log_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "base/check.h"
#include "base/file.h"
#include "base/on_threads.h"
#include "base/text_search/pattern_set.h"

namespace lockstep::readers {
namespace {

// What lies beside logs in a job's folder and is text as well.
bool is_named_like_something_else(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 20> kOther = {
      ".py",  ".pyc", ".ipynb", ".sh",   ".yaml", ".yml",  ".toml", ".ini", ".cfg", ".md",
      ".rst", ".csv", ".tsv",   ".json", ".xml",  ".html", ".c",    ".cc",  ".cpp", ".h"};
  return std::ranges::find(kOther, path.extension().string()) != kOther.end();
}

constexpr std::size_t kLookedAt = 4096;

// As many zeros in a row are a place that nobody wrote: a log that was emptied under its writer, or whose
// file system lost some of it.
constexpr std::size_t kMinHole = 32;
// Further nobody looks for the first byte that is not zero.
constexpr std::size_t kMaxHole = std::size_t{64} << 20;

std::string_view behind_zeros(std::string_view text) {
  const std::size_t begin = text.substr(0, kMaxHole).find_first_not_of('\0');
  return text.substr(std::min(begin, text.size()));
}

// What printed output never has, besides zeros: tabs, line ends, bells and colours are what it has.
bool is_of_binaries(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x07 || (byte > 0x0D && byte < 0x20 && byte != 0x1B);
}

// Zeros in a line come from programs that print a byte too many; a file of many is data.
constexpr std::size_t kMinBytesOfZero = 16;

bool is_text(std::string_view bytes) {
  if (bytes.substr(0, kLookedAt).find('\0') == std::string_view::npos) return true;
  std::string_view start = behind_zeros(bytes).substr(0, kLookedAt);
  std::size_t zeros = 0;
  std::size_t others = 0;
  bool has_line = false;
  while (!start.empty()) {
    const std::size_t zero = std::min(start.find('\0'), start.size());
    const std::string_view text = start.substr(0, zero);
    if (std::ranges::any_of(text, is_of_binaries)) return false;
    has_line = has_line || text.find('\n') != std::string_view::npos;
    others += text.size();
    const std::size_t behind = std::min(start.find_first_not_of('\0', zero), start.size());
    if (behind - zero < kMinHole) zeros += behind - zero;
    start.remove_prefix(behind);
  }
  return has_line && zeros * kMinBytesOfZero <= others;
}

bool is_a_document(std::string_view start) {
  constexpr std::array<std::string_view, 4> kHeads = {"<?xml", "<!DOCTYPE", "<!doctype", "<html"};
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return start.starts_with(head); });
}

}  // namespace

bool looks_like_text(const Source& source) {
  return is_text(source.bytes);
}

bool looks_like_a_log(const Source& source) {
  const std::string_view start = source.bytes.substr(0, kLookedAt);
  return is_text(source.bytes) && !is_a_document(start) && !is_named_like_something_else(source.path);
}

namespace {

constexpr std::size_t kBlocksOfTask = 128;
// Less than this is looked through before patterns are compiled.
constexpr std::size_t kMinFiltered = std::size_t{64} << 10;

const base::PatternSet& patterns() {
  static const base::PatternSet made = [] {
    std::vector<base::PatternText> texts;
    for (const std::string_view mark : kLogMarks) texts.push_back({model::regex_of(mark), false});
    auto compiled = base::PatternSet::compile(texts);
    CHECK(compiled.ok(), "marks are plain words");
    return std::move(compiled).value();
  }();
  return made;
}

constexpr std::size_t kLongestMark =
    std::ranges::max(kLogMarks, {}, [](std::string_view mark) { return mark.size(); }).size();

struct BlockMarks {
  std::array<std::size_t, kLogMarks.size()> first;
  std::uint64_t lines = 0;
};

BlockMarks marks_of_block(std::string_view text, std::size_t begin, bool is_mapped_file) {
  BlockMarks marks;
  marks.first.fill(LogMarks::kNowhere);
  const std::string_view block = text.substr(begin, LogMarks::kBlock);
  if (is_mapped_file) base::fetch_pages(block);
  for_each_mark(text, begin, begin + block.size(), [&](LogMark mark, std::size_t place) {
    std::size_t& first = marks.first[static_cast<std::size_t>(mark)];
    first = std::min(first, place);
  });
  marks.lines = base::count_lines(block);
  if (is_mapped_file) base::forget_pages(block);
  return marks;
}

LogMarks marks_in_small(std::string_view text) {
  LogMarks marks(text.size());
  for (std::size_t mark = 0; mark < kLogMarks.size(); ++mark) {
    const std::size_t place = text.find(kLogMarks[mark]);
    if (place != std::string_view::npos) marks.add(static_cast<LogMark>(mark), place);
  }
  if (!text.empty()) marks.lines.add(text.size(), base::count_lines(text));
  return marks;
}

}  // namespace

void for_each_mark(std::string_view text, std::size_t begin, std::size_t end,
                   const std::function<void(LogMark mark, std::size_t place)>& on_mark) {
  thread_local base::PatternScanner scanner(patterns());
  // One that begins before `end` may reach over it.
  scanner.scan(text.substr(begin, end - begin + kLongestMark - 1),
               [&](unsigned number, std::size_t match_end) {
                 const std::string_view mark = kLogMarks[number];
                 const std::size_t place = begin + match_end - mark.size();
                 if (place < end && text.substr(place, mark.size()) == mark)
                   on_mark(static_cast<LogMark>(number), place);
               });
}

LogMarks marks_in(std::string_view text, bool is_mapped_file) {
  if (text.size() < kMinFiltered) return marks_in_small(text);
  const std::size_t blocks = (text.size() + LogMarks::kBlock - 1) / LogMarks::kBlock;
  std::vector<BlockMarks> of_blocks(blocks);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t task = next++; task * kBlocksOfTask < blocks; task = next++) {
      for (std::size_t i = task * kBlocksOfTask; i < std::min(blocks, (task + 1) * kBlocksOfTask); ++i)
        of_blocks[i] = marks_of_block(text, i * LogMarks::kBlock, is_mapped_file);
    }
  };
  base::on_threads(std::min(base::core_count(), blocks / kBlocksOfTask), work);

  LogMarks marks(text.size());
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t mark = 0; mark < kLogMarks.size(); ++mark) {
      if (of_blocks[i].first[mark] != LogMarks::kNowhere)
        marks.add(static_cast<LogMark>(mark), of_blocks[i].first[mark]);
    }
    marks.lines.add(std::min(text.size(), (i + 1) * LogMarks::kBlock), of_blocks[i].lines);
  }
  return marks;
}

}  // namespace lockstep::readers
