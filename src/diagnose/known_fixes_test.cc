#include "diagnose/known_fixes.h"

#include <gtest/gtest.h>

#include "analysis/fixes.h"
#include "symptoms/catalogue.h"

namespace lockstep::diagnose {
namespace {

TEST(KnownFixes, EveryCodeOfTheAnalysisIsInTheCatalogueWithItsFixes) {
  const auto catalogue = symptoms::Catalogue::load({});
  ASSERT_TRUE(catalogue.ok());
  ASSERT_FALSE(analysis::codes_with_fixes().empty());
  for (const std::string_view code : analysis::codes_with_fixes()) {
    const symptoms::Symptom* const symptom = catalogue.value().find(code);
    ASSERT_NE(symptom, nullptr) << code;
    EXPECT_FALSE(fixes_of(*symptom).empty()) << code;
  }
}

}  // namespace
}  // namespace lockstep::diagnose
