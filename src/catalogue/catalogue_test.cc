#include "catalogue/catalogue.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "catalogue/symptom.h"

namespace lockstep::catalogue {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("catalogue_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* name, std::string_view text) { std::ofstream(folder_ / name) << text; }
  Result<Catalogue> loaded() {
    const std::array folders{folder_};
    return Catalogue::load(folders);
  }
  fs::path folder_;
};

constexpr std::string_view kEntry =
    "code: mem.gpu\ntitle: Ours\nleaf: RUN-MEM\nscope: ordinary\npatterns: [our words]\nmeaning: m\n"
    "fixes: [smaller_batch]\nmatches: [our words]\nmisses: [other words]\n";

TEST(Catalogue, CoversEveryLeafWithAtLeast180Codes) {
  const auto catalogue = Catalogue::load();
  ASSERT_TRUE(catalogue.ok());
  std::set<model::Leaf> covered;
  std::size_t with_patterns = 0;
  for (std::size_t i = 0; i < catalogue.value().size(); ++i) {
    const Symptom& symptom = catalogue.value().symptom(i);
    if (symptom.patterns.empty() || symptom.patterns.front().role == Role::kNoise) continue;
    covered.insert(symptom.leaf);
    ++with_patterns;
  }
  EXPECT_GE(with_patterns, 180U);
  for (const model::LeafEntry& leaf : model::all_leaves()) {
    const bool is_silent = leaf.leaf == model::Leaf::kPrepHang || leaf.leaf == model::Leaf::kPerfSlow;
    EXPECT_TRUE(covered.contains(leaf.leaf) || is_silent) << leaf.id;
  }
}

TEST(Catalogue, EverySampleOfTheBuiltInEntriesHolds) {
  const auto catalogue = Catalogue::load();
  ASSERT_TRUE(catalogue.ok());
  EXPECT_EQ(sample_faults(catalogue.value()), std::vector<std::string>{});
}

TEST_F(Folder, ReplacesABuiltInEntryOfTheSameCode) {
  write("mine.yaml", kEntry);
  const auto catalogue = loaded();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().why;
  EXPECT_EQ(catalogue.value().at("mem.gpu").title, "Ours");
  EXPECT_EQ(catalogue.value().size(), Catalogue::load().value().size());
}

TEST_F(Folder, AListOfAlternativesIsOneRegularExpression) {
  std::string text(kEntry);
  text.replace(text.find("[our words]"), 11, "\n  - regex: ['our( [a-z]+)', other]\n    unless: [a, b]");
  write("mine.yaml", text);
  const auto catalogue = loaded();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().why;
  const Pattern& pattern = catalogue.value().at("mem.gpu").patterns.front();
  EXPECT_EQ(pattern.regex, "our( [a-z]+)|other");
  EXPECT_EQ(pattern.unless, "a|b");
}

TEST_F(Folder, TwoFilesOfOneCodeAreRefused) {
  write("a.yaml", kEntry);
  write("b.yaml", kEntry);
  EXPECT_FALSE(loaded().ok());
}

TEST_F(Folder, AnUnknownLeafOrRecipeIsNamed) {
  std::string text(kEntry);
  text.replace(text.find("RUN-MEM"), 7, "RUN-FUN");
  write("a.yaml", text);
  ASSERT_FALSE(loaded().ok());
  EXPECT_EQ(loaded().error().why, "'RUN-FUN' is no leaf");
  text = kEntry;
  text.replace(text.find("smaller_batch"), 13, "smaller_boats");
  write("a.yaml", text);
  ASSERT_FALSE(loaded().ok());
  EXPECT_EQ(loaded().error().why, "no recipe is called 'smaller_boats'");
}

TEST_F(Folder, AnEmptyFolderIsRefused) {
  EXPECT_FALSE(loaded().ok());
}

TEST(Condition, IsAFactOrAComparison) {
  EXPECT_EQ(condition_from("horovod")->left, "horovod");
  EXPECT_TRUE(condition_from("!stage.train")->negated);
  EXPECT_EQ(condition_from("joined>world")->kind, Condition::Kind::kGreater);
  EXPECT_EQ(condition_from("world=1")->right, "1");
  for (const char* wrong : {"", "!", "a b", ">3", "a>", "a>b>c"})
    EXPECT_FALSE(condition_from(wrong)) << wrong;
}

// Titles and meanings are filled in with what a line captured; nothing else is, and has no braces.
struct Texts {
  std::vector<std::string> filled_in;
  std::vector<std::string> as_they_are;

  void add(const std::vector<model::Fix>& fixes) {
    for (const model::Fix& fix : fixes) {
      as_they_are.push_back(fix.title);
      as_they_are.insert(as_they_are.end(), fix.steps.begin(), fix.steps.end());
    }
  }
};

Texts texts_of(const Symptom& symptom) {
  Texts texts{.filled_in = {symptom.title, symptom.meaning}, .as_they_are = symptom.causes};
  texts.add(symptom.fixes);
  texts.add(symptom.rank_fixes);
  for (const Variant& variant : symptom.variants) {
    if (!variant.title.empty()) texts.filled_in.push_back(variant.title);
    texts.add(variant.fixes);
  }
  return texts;
}

// Nothing captured, empty values, and values that look like templates and terminal codes.
std::vector<base::Regex::Captures> captures_for(const std::string& text, const std::string& hostile) {
  base::Regex::Captures empty;
  base::Regex::Captures bad;
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at) {
    const std::string name = text.substr(at + 1, text.find('}', at) - at - 1);
    empty[name] = "";
    bad[name] = hostile;
  }
  return {{}, empty, bad};
}

TEST(BuiltInCatalogue, LeaksNoTemplateWhateverWasCaptured) {
  const auto catalogue = Catalogue::load({});
  ASSERT_TRUE(catalogue.ok());
  const std::string hostile = "[{rank}]\x1b[2J";
  for (std::size_t i = 0; i < catalogue.value().size(); ++i) {
    const Symptom& symptom = catalogue.value().symptom(i);
    const Texts texts = texts_of(symptom);
    for (const std::string& text : texts.filled_in) {
      for (const base::Regex::Captures& captures : captures_for(text, hostile)) {
        std::string said = worded(text, captures);
        EXPECT_EQ(said.find("  "), std::string::npos) << symptom.code << ": " << said;
        for (std::size_t at = 0; (at = said.find(hostile)) != std::string::npos;)
          said.erase(at, hostile.size());
        EXPECT_EQ(said.find_first_of("{}[]"), std::string::npos) << symptom.code << ": " << said;
      }
    }
    for (const std::string& text : texts.as_they_are)
      EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << symptom.code << ": " << text;
  }
}

}  // namespace
}  // namespace lockstep::catalogue
