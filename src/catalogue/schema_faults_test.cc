#include "catalogue/schema_faults.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::catalogue {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> faults_of(const char* name, std::string_view text) {
  const fs::path folder = fs::path(testing::TempDir()) / "schema_faults";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / name) << text;
  const auto faults = schema_faults(folder);
  fs::remove_all(folder);
  EXPECT_TRUE(faults.ok());
  return faults.ok() ? faults.value() : std::vector<std::string>{};
}

TEST(SchemaFaults, TheBuiltInFilesHaveNone) {
  const auto faults = schema_faults(LOCKSTEP_SOURCE_DIR "/catalogue/symptoms");
  ASSERT_TRUE(faults.ok());
  EXPECT_THAT(faults.value(), IsEmpty());
}

TEST(SchemaFaults, NameFileLineAndField) {
  EXPECT_THAT(
      faults_of("mine.yaml",
                "code: Mine\ntitle: t\nleaf: RUN-MEM\nscope: ordinary\nmeaning: m\npatterns:\n  - regex: a\n"
                "    at_least: 0\n"),
      ElementsAre(HasSubstr("mine.yaml:1: code: 'Mine' does not match"),
                  HasSubstr("mine.yaml:8: patterns[0].at_least: must be at least 1")));
}

TEST(SchemaFaults, EachKindOfFileHasItsOwnSchema) {
  EXPECT_THAT(faults_of("facts.yaml", "f: {patterns: [a], matches: [a], misses: [b]}\n"), IsEmpty());
  EXPECT_THAT(faults_of("facts.yaml", "f: {patterns: [a], matches: [a]}\n"),
              ElementsAre(HasSubstr("facts.yaml:1: f: 'misses' is missing")));
  EXPECT_THAT(faults_of("recipes.yaml", "r: {pattern: other, title: t}\n"), IsEmpty());
  EXPECT_THAT(faults_of("remedies.yaml", "xid: pray\n"), ElementsAre(HasSubstr("'pray' is not one of")));
}

}  // namespace
}  // namespace lockstep::catalogue
