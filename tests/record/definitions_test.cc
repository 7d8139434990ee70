// What definitions claim is believed as far as it can be true: a run of members stands for as many as it
// says.
#include "record/definitions.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::tests {
namespace {

using record::Definitions;
using record::RecordView;

struct OneRun {
  lockstep_communicator communicator{};
  lockstep_rank_run run{};
};

void add(Definitions& definitions, std::uint32_t id, std::uint32_t members) {
  OneRun record;
  record.communicator.id = id;
  record.communicator.size = members;
  record.communicator.run_count = 1;
  record.run.step = 1;
  record.run.count = members;
  std::vector<std::byte> bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  RecordView view;
  view.data = bytes.data();
  view.length = static_cast<std::uint16_t>(bytes.size());
  view.type = LOCKSTEP_RECORD_COMMUNICATOR;
  definitions.add(view);
}

TEST(Definitions, HoldTheMembersOfAllGroupsOfALargeJob) {
  Definitions definitions;
  for (std::uint32_t id = 1; id <= 20; ++id) add(definitions, id, 100'000);
  for (std::uint32_t id = 1; id <= 20; ++id)
    EXPECT_EQ(definitions.communicator(id)->member_ranks().size(), 100'000U);
}

TEST(Definitions, BelieveNoMoreMembersThanAJobCanHave) {
  Definitions definitions;
  constexpr std::uint32_t kGroups = 10'000;
  for (std::uint32_t id = 1; id <= kGroups; ++id) add(definitions, id, 1 << 20);
  std::size_t members = 0;
  for (std::uint32_t id = 1; id <= kGroups; ++id)
    members += definitions.communicator(id)->member_ranks().size();
  EXPECT_LE(members, std::size_t{4} << 20);
  EXPECT_EQ(definitions.communicator(kGroups)->size, 1U << 20) << "the group itself stays known";
}

TEST(Definitions, SurviveARunOfAllNumbers) {
  Definitions definitions;
  add(definitions, 1, 0xFFFFFFFF);
  EXPECT_TRUE(definitions.communicator(1)->member_ranks().empty());
}

}  // namespace
}  // namespace lockstep::tests
