#include "diagnose/arbitrate/known_fixes.h"

#include <gtest/gtest.h>

#include "catalogue/advice.h"
#include "catalogue/catalogue.h"

namespace lockstep::diagnose {
namespace {

TEST(KnownFixes, EveryCodeOfTheAnalysisIsInTheCatalogueWithItsFixes) {
  const auto catalogue = catalogue::Catalogue::load({});
  ASSERT_TRUE(catalogue.ok());
  ASSERT_FALSE(catalogue::codes_with_fixes().empty());
  for (const std::string_view code : catalogue::codes_with_fixes()) {
    const catalogue::Symptom* const symptom = catalogue.value().find(code);
    ASSERT_NE(symptom, nullptr) << code;
    EXPECT_FALSE(fixes_of(*symptom).empty()) << code;
  }
}

}  // namespace
}  // namespace lockstep::diagnose
