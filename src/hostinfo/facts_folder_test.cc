#include "hostinfo/facts_folder.h"

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"
#include "hostinfo/facts_json.h"

namespace lockstep::hostinfo {
namespace {

std::string facts_of(const std::string& name) {
  HostFacts facts;
  facts.name = name;
  return encode_facts(facts);
}

TEST(FactsFolder, GivesTypedFactsAndTheDocumentOfEachFile) {
  const process::FolderForTests folder;
  folder.write("b.json", facts_of("node1"));
  folder.write("a.json", facts_of("node0"));
  folder.write("notes.txt", "not looked at");
  const auto read = read_facts_folder(folder.path());
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().files.size(), 2U);
  EXPECT_EQ(read.value().files[0].facts.name, "node0");
  EXPECT_EQ(read.value().files[1].document["host"], "node1");
  EXPECT_TRUE(read.value().faults.empty());
}

TEST(FactsFolder, KeepsBrokenFilesAsFaultsAndHostsOnce) {
  const process::FolderForTests folder;
  folder.write("a.json", facts_of("node0"));
  folder.write("b.json", facts_of("node0"));
  folder.write("c.json", "{");
  folder.write("d.json", "{}");
  const auto read = read_facts_folder(folder.path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().files.size(), 2U);
  EXPECT_EQ(read.value().hosts().size(), 1U);
  ASSERT_EQ(read.value().faults.size(), 2U);
  EXPECT_EQ(read.value().faults[1].line, 1);
}

TEST(FactsFolder, MayBeASingleFile) {
  const process::FolderForTests folder;
  folder.write("facts", facts_of("node0"));
  folder.write("broken", "{}");
  const auto read = read_facts_folder(folder.path() / "facts");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().hosts().front().name, "node0");
  EXPECT_FALSE(read_facts_folder(folder.path() / "broken").ok());
}

TEST(FactsFolder, WithoutFactsIsAnError) {
  const process::FolderForTests folder;
  EXPECT_FALSE(read_facts_folder(folder.path()).ok());
  EXPECT_FALSE(read_facts_folder(folder.path() / "nowhere").ok());
}

}  // namespace
}  // namespace lockstep::hostinfo
