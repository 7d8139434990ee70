#include "run/supervise/adapter_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::supervise {
namespace {

using ::testing::ElementsAre;

TEST(AdapterNotes, WhatEveryProcessSaysIsToldOnce) {
  std::vector<std::string> notes = {"no native half: no compiler"};
  add_notes_of_processes(
      "pid 17: JAX is not hooked\npid 18: JAX is not hooked\npid 19: no native half: no compiler\npid 20: "
      "cut",
      notes);
  EXPECT_THAT(notes, ElementsAre("no native half: no compiler", "JAX is not hooked", "cut"));
}

TEST(AdapterNotes, AreFewAndShortWhateverTheFileHolds) {
  std::vector<std::string> notes;
  std::string lines = "no process\n\npid 1: " + std::string(5000, 'x') + '\n';
  for (int number = 0; number < 100; ++number) lines += "pid 1: note " + std::to_string(number) + '\n';
  add_notes_of_processes(lines, notes);
  EXPECT_LE(notes.size(), 8U);
  for (const std::string& note : notes) EXPECT_LE(note.size(), 500U);
}

}  // namespace
}  // namespace lockstep::supervise
