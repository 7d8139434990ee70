#include "replay/compare/surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Surroundings, ProgramThenLibrariesThenPlatform) {
  const Attributes first{{"platform threads", "1"},
                         {"torch", "2.6.0"},
                         {"program train.py", "ab"},
                         {"pytorch adapter mode", "native"}};
  const Attributes second{{"platform threads", "2"},
                          {"torch", "2.13.0"},
                          {"program train.py", "cd"},
                          {"pytorch adapter mode", "python"}};
  EXPECT_THAT(surroundings_that_differ(first, second),
              ElementsAre("the program (train.py)", "the library torch (2.6.0 against 2.13.0)",
                          "the platform's threads (1 against 2)"));
  EXPECT_THAT(surroundings_that_differ(first, first), IsEmpty());
}

TEST(Surroundings, WhatOneDoesNotTellIsNotDifferent) {
  EXPECT_THAT(surroundings_that_differ({{"program model.py", "ab"}}, {{"program train.py", "ab"}}),
              IsEmpty());
}

TEST(Attributes, AFileThatIsNotThereTellsNothing) {
  EXPECT_THAT(attributes_in("/nonexistent/rank.lockstep"), IsEmpty());
}

}  // namespace
}  // namespace lockstep::replay
