#include "diagnose/logs/joined_parts.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"

namespace lockstep::logs {
namespace {

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
