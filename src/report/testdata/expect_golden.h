// Comparison with a whole expected output in testdata/. To accept a change of output, run the test with
// LOCKSTEP_UPDATE_EXPECTED=1 and read the diff before committing it.
#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::report {

inline constexpr std::size_t kLargestGolden = 1 << 20;

inline void expect_golden(const std::string& name, const std::string& actual) {
  const std::string expected_path = std::string(LOCKSTEP_REPORT_TESTDATA) + "/" + name;
  if (std::getenv("LOCKSTEP_UPDATE_EXPECTED") != nullptr) {
    ASSERT_TRUE(base::write_file(expected_path, actual).ok());
  }
  const auto expected = base::read_file(expected_path, kLargestGolden);
  ASSERT_TRUE(expected.ok()) << expected_path << ": " << expected.error().why;
  if (expected.value() == actual) return;

  const std::string actual_path = testing::TempDir() + "actual_" + name;
  ASSERT_TRUE(base::write_file(actual_path, actual).ok());
  ADD_FAILURE() << "the output changed; see\n  diff -u " << expected_path << " " << actual_path;
}

}  // namespace lockstep::report
