#include "model/finding_code.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::model {
namespace {

namespace fs = std::filesystem;

std::string folder_of(Leaf leaf) {
  std::string name;
  for (const char c : entry_of(leaf).id) name += c == '-' ? c : static_cast<char>(c - 'A' + 'a');
  return name;
}

TEST(FindingCode, IsMadeOfAnyText) {
  const FindingCode code = std::string("somebody.elses.code");
  EXPECT_EQ(code.text(), "somebody.elses.code");
  EXPECT_EQ(code.family_name(), "somebody");
  EXPECT_EQ(code.family(), CodeFamily::kOther);
  EXPECT_TRUE(FindingCode().empty());
  EXPECT_EQ(FindingCode("no dot").family_name(), "no dot");
}

TEST(FindingCode, EqualsTheConstantOfItsText) {
  const FindingCode code = "desync.missing_rank";
  EXPECT_TRUE(code == codes::kMissingRank);
  EXPECT_FALSE(code == codes::kDeadRank);
  EXPECT_TRUE(code == FindingCode(codes::kMissingRank));
}

TEST(FindingCode, HasThePropertiesOfItsFamily) {
  EXPECT_TRUE(FindingCode(codes::kMissingRank).is_wait());
  EXPECT_TRUE(FindingCode("deadlock.of_tomorrow").is_wait());
  EXPECT_FALSE(FindingCode(codes::kMismatchShape).is_wait());
  EXPECT_TRUE(FindingCode("wrapper.mpirun").is_echo());
  EXPECT_FALSE(FindingCode("wrappers.mpirun").is_echo());
  EXPECT_TRUE(guess_at(Leaf::kRunTensor).is(CodeFamily::kLeaf));
  EXPECT_EQ(guess_at(Leaf::kRunTensor), "leaf.run_tensor");
}

TEST(FindingCode, StandsInTheTableOnceAndByAlphabet) {
  EXPECT_TRUE(std::ranges::is_sorted(all_codes(), std::ranges::less_equal{}, &KnownCode::text) ||
              std::ranges::is_sorted(all_codes(), {}, &KnownCode::text));
  std::set<std::string_view> texts;
  for (const KnownCode& code : all_codes()) EXPECT_TRUE(texts.insert(code.text).second) << code.text;
}

TEST(FindingCode, HasAnEntryInTheCatalogueUnderItsLeaf) {
  const fs::path symptoms = fs::path(LOCKSTEP_SOURCE_DIR) / "catalogue/symptoms";
  for (const KnownCode& code : all_codes()) {
    const fs::path entry = symptoms / folder_of(code.leaf) / (std::string(code.text) + ".yaml");
    EXPECT_TRUE(fs::exists(entry)) << entry;
  }
}

}  // namespace
}  // namespace lockstep::model
