#include "diagnose/logs/scan.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/check.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Symptom;

const Catalogue& catalogue() {
  static const Catalogue embedded = Catalogue::load().value();
  return embedded;
}

std::vector<std::string> all_samples() {
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    const Symptom& symptom = catalogue().symptom(i);
    samples.insert(samples.end(), symptom.matches.begin(), symptom.matches.end());
    samples.insert(samples.end(), symptom.misses.begin(), symptom.misses.end());
  }
  return samples;
}

using HitSet = std::set<std::pair<std::size_t, unsigned>>;  // where a line begins, which pattern

// The slow twin: every pattern on every line, with nothing before it that could leave a line out.
HitSet hits_line_by_line(std::string_view text) {
  HitSet hits;
  base::PatternScanner scanner(catalogue().telling());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    std::set<unsigned> seen;
    scanner.scan(text.substr(begin, end - begin), [&](unsigned id, std::size_t) { seen.insert(id); });
    for (const unsigned id : seen) hits.emplace(begin, id);
    begin = end + 1;
  }
  return hits;
}

HitSet hits_of_scan(std::string_view text) {
  const std::vector<LogText> logs = {{"log", text, std::nullopt}};
  HitSet hits;
  const std::vector<Scan> scans = scan_logs(catalogue(), logs);
  for (const Hit& hit : scans.front().hits) hits.emplace(hit.line.begin, hit.pattern);
  return hits;
}

TEST(Scan, has_a_prefilter_with_the_embedded_catalogue) {
  EXPECT_NE(catalogue().prefilter(), nullptr);
}

TEST(Scan, finds_in_every_sample_what_a_look_at_every_line_finds) {
  std::string text;
  for (const std::string& sample : all_samples()) text += sample + "\n";
  EXPECT_EQ(hits_of_scan(text), hits_line_by_line(text));
}

RC_GTEST_PROP(Scan, finds_a_sample_wherever_it_stands, ()) {
  static const std::vector<std::string> samples = all_samples();
  std::string text(*rc::gen::inRange<std::size_t>(0, 9), '.');
  for (int i = 0; i < 3; ++i) {
    text += *rc::gen::element<std::string>("\n", "\r", "\nstep 3 loss nan\n", "\n[rank3]: ", "\x1b[31m",
                                           "\n\xff\xfe ");
    text += samples[*rc::gen::inRange<std::size_t>(0, samples.size())];
  }
  text += *rc::gen::element<std::string>("", "\n", "\r\n", ".......");
  RC_ASSERT(hits_of_scan(text) == hits_line_by_line(text));
}

TEST(Scan, finds_a_fault_inside_one_huge_line) {
  const std::string text =
      std::string(3'000'000, 'x') + " CUDA out of memory. " + std::string(3'000'000, 'y');
  EXPECT_THAT(hits_of_scan(text), testing::Not(testing::IsEmpty()));
}

TEST(Scan, keeps_the_first_and_the_last_lines_of_a_message_that_repeats_without_end) {
  std::string text;
  while (text.size() < (std::size_t{40} << 20))
    text += "RuntimeError: CUDA out of memory. Tried to allocate\n";
  const std::vector<LogText> logs = {{"log", text, std::nullopt}};
  const Scan scan = scan_logs(catalogue(), logs).front();
  EXPECT_LT(scan.hits.size(), 20'000);
  EXPECT_EQ(scan.hits.front().line.begin, 0);
  EXPECT_GT(scan.hits.back().line.end, text.size() / 2);
  EXPECT_EQ(scan.marks.lines.line_at(text, text.size()), static_cast<std::int64_t>(text.size() / 52 + 1));
}

RC_GTEST_PROP(Scan, finds_marks_where_a_plain_search_finds_them, ()) {
  std::string text(*rc::gen::inRange<std::size_t>(0, 2 * model::LogMarks::kBlock), '.');
  for (const std::size_t mark :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 6))) {
    text += *rc::gen::element<std::string>("\n", " ", "Python", "NCCL WARN ", "nccl info ",
                                           "(most recent call last):");
    text += model::kLogMarks[mark];
  }
  text += *rc::gen::element<std::string>("", "\n", "3.10");
  const Scan scan = look_through(catalogue(), {"log", text, std::nullopt}, 1);
  for (std::size_t mark = 0; mark < model::kLogMarks.size(); ++mark)
    RC_ASSERT(scan.marks.first[mark] == text.find(model::kLogMarks[mark]));
}

TEST(Scan, tells_the_blocks_with_lines_of_nccl) {
  std::string text(3 * model::LogMarks::kBlock, '.');
  const std::string_view line = "\nhost:1:2 [0] NCCL INFO x\n";
  text.replace(model::LogMarks::kBlock - 5, line.size(), line);
  text.replace(2 * model::LogMarks::kBlock + 7, line.size(), line);
  const Scan scan = look_through(catalogue(), {"log", text, std::nullopt}, 1);
  EXPECT_EQ(scan.marks.has_nccl, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(scan.marks.lines.line_at(text, text.size()), 5);
}

TEST(Scan, does_not_look_twice_at_what_was_seen_before) {
  const std::vector<LogText> logs = {{"a", "CUDA out of memory\n", std::nullopt},
                                     {"b", "CUDA out of memory\n", {}}};
  std::vector<std::optional<Scan>> seen(2);
  seen[0].emplace();
  const std::vector<Scan> scans = scan_logs(catalogue(), logs, {}, seen);
  EXPECT_TRUE(scans[0].hits.empty());
  EXPECT_FALSE(scans[1].hits.empty());
}

base::PatternSet set_of(std::string_view regex) {
  const std::array<base::PatternText, 1> texts = {{{std::string(regex)}}};
  auto set = base::PatternSet::compile(texts);
  CHECK(set.ok(), "the pattern is sound");
  return std::move(set).value();
}

std::vector<std::size_t> ends_in(JoinedParts& parts, std::string_view regex) {
  const base::PatternSet set = set_of(regex);
  base::PatternScanner scanner(set);
  std::vector<std::size_t> ends;
  parts.scan(scanner, [&](unsigned, std::size_t end) { ends.push_back(end); });
  return ends;
}

TEST(JoinedParts, PlacesAreThoseOfTheLog) {
  const std::string_view log = "error one\nstep 1\nstep 2\nerror two\n";
  JoinedParts parts;
  parts.add(log, 0, 9);
  parts.add(log, 24, 33);
  EXPECT_EQ(ends_in(parts, "error \\w+o$"), std::vector<std::size_t>{33});
  parts.clear();
  parts.add(log, 24, 33);
  EXPECT_EQ(ends_in(parts, "^error"), std::vector<std::size_t>{29});
}

TEST(JoinedParts, APartIsALineOfItsOwn) {
  const std::string_view log = "connection\nreset\n";
  JoinedParts parts;
  parts.add(log, 0, 10);
  parts.add(log, 11, 16);
  EXPECT_TRUE(ends_in(parts, "connectionreset|connection reset").empty());
}

TEST(JoinedParts, NothingIsFoundInNothing) {
  JoinedParts parts;
  EXPECT_TRUE(ends_in(parts, "error").empty());
}

}  // namespace

}  // namespace lockstep::logs
