#include "base/text_search/pattern_set.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <hs/hs.h>

#include "base/check.h"

namespace lockstep::base {
namespace {

constexpr unsigned kFlags = HS_FLAG_CASELESS | HS_FLAG_MULTILINE;

// The oldest processor the tool is built for, so that a set made at build time loads on newer ones too.
hs_platform_info_t oldest_processor() {
  hs_platform_info_t platform{};
  CHECK(hs_populate_platform(&platform) == HS_SUCCESS, "vectorscan knows this processor");
  platform.tune = HS_TUNE_FAMILY_GENERIC;
  platform.cpu_features &= HS_CPU_FEATURES_AVX2;
  return platform;
}

int report(unsigned id, unsigned long long /*from*/, unsigned long long to, unsigned /*flags*/,
           void* context) {
  const auto& on_match = *static_cast<const std::function<void(unsigned, std::size_t)>*>(context);
  on_match(id, to);
  return 0;
}

// vectorscan 5.4.9 loses words that end in the last 31 bytes of what it is given, on every processor. So the
// tail is looked through in a copy with lines behind it that match nothing.
constexpr std::size_t kLossyTail = 32;
constexpr std::size_t kMinTail = 512;
constexpr std::size_t kMaxTail = std::size_t{64} << 10;

std::size_t begin_of_tail(std::string_view text) {
  if (text.size() <= kMinTail) return 0;
  const std::size_t line_end = text.rfind('\n', text.size() - kMinTail);
  const std::size_t earliest = text.size() - std::min(text.size(), kMaxTail);
  return line_end == std::string_view::npos ? earliest : std::max(line_end + 1, earliest);
}

}  // namespace

void PatternSet::Free::operator()(hs_database* database) const {
  hs_free_database(database);
}

Result<PatternSet> PatternSet::compile(std::span<const PatternText> patterns) {
  std::vector<const char*> expressions;
  std::vector<unsigned> flags;
  std::vector<unsigned> ids;
  for (const PatternText& pattern : patterns) {
    ids.push_back(static_cast<unsigned>(expressions.size()));
    expressions.push_back(pattern.regex.c_str());
    flags.push_back(pattern.first_only ? kFlags | HS_FLAG_SINGLEMATCH : kFlags);
  }
  const hs_platform_info_t platform = oldest_processor();
  hs_database_t* database = nullptr;
  hs_compile_error_t* fault = nullptr;
  const hs_error_t status =
      hs_compile_multi(expressions.data(), flags.data(), ids.data(), static_cast<unsigned>(ids.size()),
                       HS_MODE_BLOCK, &platform, &database, &fault);
  if (status == HS_SUCCESS) return PatternSet(database);
  const bool knows_which = fault->expression >= 0;
  Error error{"cannot use pattern",
              knows_which ? patterns[static_cast<std::size_t>(fault->expression)].regex : std::string(),
              fault->message, ""};
  hs_free_compile_error(fault);
  return error;
}

std::optional<PatternSet> PatternSet::from_bytes(std::string_view bytes) {
  hs_database_t* database = nullptr;
  if (hs_deserialize_database(bytes.data(), bytes.size(), &database) != HS_SUCCESS) return std::nullopt;
  return PatternSet(database);
}

std::string PatternSet::to_bytes() const {
  char* bytes = nullptr;
  std::size_t size = 0;
  CHECK(hs_serialize_database(database_.get(), &bytes, &size) == HS_SUCCESS, "a compiled set can be written");
  std::string copy(bytes, size);
  std::free(bytes);
  return copy;
}

void FreeScratch::operator()(hs_scratch* scratch) const {
  hs_free_scratch(scratch);
}

Scratch PatternSet::take_scratch() const {
  {
    const std::lock_guard lock(idle_->mutex);
    if (!idle_->scratches.empty()) {
      Scratch scratch = std::move(idle_->scratches.back());
      idle_->scratches.pop_back();
      return scratch;
    }
  }
  hs_scratch_t* scratch = nullptr;
  if (hs_alloc_scratch(database_.get(), &scratch) != HS_SUCCESS) throw std::bad_alloc();
  return Scratch(scratch);
}

void PatternSet::give_back(Scratch scratch) const {
  const std::lock_guard lock(idle_->mutex);
  idle_->scratches.push_back(std::move(scratch));
}

void PatternScanner::scan(std::string_view text, const OnMatch& on_match) {
  const std::size_t tail = begin_of_tail(text);
  if (tail > 0) {
    scan_bytes(text, [&](unsigned id, std::size_t end) {
      if (end <= text.size() - kLossyTail) on_match(id, end);
    });
  }
  scan_tail(text, tail, on_match);
}

void PatternScanner::scan_growing(std::string& text, const OnMatch& on_match) {
  const std::size_t size = text.size();
  text.append(kLossyTail, '\n');
  scan_bytes(text, [&](unsigned id, std::size_t end) {
    if (end <= size) on_match(id, end);
  });
}

void PatternScanner::scan_tail(std::string_view text, std::size_t from, const OnMatch& on_match) {
  padded_tail_.assign(text.substr(from));
  padded_tail_.append(kLossyTail, '\n');
  const std::size_t known = from > 0 ? text.size() - kLossyTail : 0;
  scan_bytes(padded_tail_, [&](unsigned id, std::size_t end) {
    if (from + end > known && from + end <= text.size()) on_match(id, from + end);
  });
}

void PatternScanner::scan_bytes(std::string_view bytes, const OnMatch& on_match) {
  void* context = const_cast<void*>(static_cast<const void*>(&on_match));
  const hs_error_t status = hs_scan(set_->database_.get(), bytes.data(), static_cast<unsigned>(bytes.size()),
                                    0, scratch_.get(), report, context);
  CHECK(status == HS_SUCCESS, "vectorscan scans any bytes");
}

}  // namespace lockstep::base
