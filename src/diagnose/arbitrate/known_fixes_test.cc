#include "diagnose/arbitrate/known_fixes.h"

#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "diagnose/ranks/fixes.h"

namespace lockstep::diagnose {
namespace {

TEST(KnownFixes, EveryCodeOfTheAnalysisIsInTheCatalogueWithItsFixes) {
  const auto catalogue = catalogue::Catalogue::load({});
  ASSERT_TRUE(catalogue.ok());
  ASSERT_FALSE(ranks::codes_with_fixes().empty());
  for (const std::string_view code : ranks::codes_with_fixes()) {
    const catalogue::Symptom* const symptom = catalogue.value().find(code);
    ASSERT_NE(symptom, nullptr) << code;
    EXPECT_FALSE(fixes_of(*symptom).empty()) << code;
  }
}

}  // namespace
}  // namespace lockstep::diagnose
