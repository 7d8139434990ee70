#include "diagnose/logs/finding_text.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

using catalogue::Pattern;
using catalogue::Printer;
using catalogue::Symptom;

model::Finding finding_of(Printer printer, const std::set<int>& speaking, const std::string& named) {
  Symptom symptom;
  symptom.code = "comm.any";
  symptom.printer = printer;
  Pattern pattern;
  Sighting sighting;
  sighting.symptom = &symptom;
  sighting.pattern = &pattern;
  sighting.rank = 1;
  if (!named.empty()) sighting.captures["rank"] = named;
  Candidate candidate;
  candidate.symptom = &symptom;
  candidate.lead = &sighting;
  candidate.sightings = {&sighting};
  candidate.ranks = {1};
  const LogText log{"job.log", "any line\n", std::nullopt};
  return finding_from(candidate, std::span(&log, 1), speaking, 0.5);
}

TEST(FindingText, WhoPrintsTheFaultItselfBeganIt) {
  EXPECT_EQ(finding_of(Printer::kCulprit, {0, 1, 2}, "").root_ranks, std::vector{1});
}

TEST(FindingText, TheOneWhomAllOthersMissBeganIt) {
  EXPECT_EQ(finding_of(Printer::kVictim, {0, 1}, "").root_ranks, std::vector{0});
  EXPECT_TRUE(finding_of(Printer::kVictim, {0, 1, 2}, "").root_ranks.empty());
}

TEST(FindingText, WhatShowsBetweenTwoRanksNamesNobodyUnlessALineDoes) {
  EXPECT_TRUE(finding_of(Printer::kEither, {0, 1, 2}, "").root_ranks.empty());
  EXPECT_EQ(finding_of(Printer::kEither, {0, 1, 2}, "2").root_ranks, std::vector{2});
}

TEST(FindingText, OfTwoRanksThatDisagreeEitherMayBeWrong) {
  EXPECT_TRUE(finding_of(Printer::kEither, {0, 1}, "1").root_ranks.empty());
}

}  // namespace
}  // namespace lockstep::logs
