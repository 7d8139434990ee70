#include "diagnose/ranks/thresholds.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::ranks {
namespace {

// "Held by Suite.Name." and "Held by Suite.Name and Suite.Name."
std::set<std::string> tests_that_hold_thresholds() {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/src/diagnose/ranks/thresholds.h");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> names;
  const std::regex sentence("Held by ([^;]*?)\\.\n");
  const std::regex name("[A-Z][A-Za-z]+\\.[A-Z][A-Za-z]+");
  for (std::sregex_iterator held(text.begin(), text.end(), sentence), none; held != none; ++held) {
    const std::string tests = (*held)[1];
    for (std::sregex_iterator at(tests.begin(), tests.end(), name); at != none; ++at) names.insert(at->str());
  }
  return names;
}

TEST(Thresholds, AreHeldByTestsThatExist) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  std::set<std::string> known;
  for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
    const ::testing::TestSuite& one = *all.GetTestSuite(suite);
    for (int test = 0; test < one.total_test_count(); ++test)
      known.insert(std::string(one.name()) + "." + one.GetTestInfo(test)->name());
  }
  const std::set<std::string> named = tests_that_hold_thresholds();
  EXPECT_GT(named.size(), 10U);
  for (const std::string& name : named) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace lockstep::ranks
