#include "run/watch/meetings.h"

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

LiveCommunicator of_size(std::size_t size) {
  LiveCommunicator communicator;
  communicator.size = size;
  return communicator;
}

LiveCall call(std::uint64_t sequence, std::int64_t begin_ns, std::uint64_t signature = 1) {
  LiveCall call;
  call.sequence = sequence;
  call.operation = model::Operation::kAllReduce;
  call.begin_ns = begin_ns;
  call.signature = signature;
  return call;
}

TEST(Meetings, TellHowLongTheFirstWaitedAndForWhom) {
  Meetings meetings;
  meetings.arrive(0, call(1, 1000), of_size(3));
  meetings.arrive(2, call(1, 9000), of_size(3));
  EXPECT_EQ(meetings.waits().count(), 0U) << "not all have come";
  meetings.arrive(1, call(1, 3000), of_size(3));
  EXPECT_EQ(meetings.waits().count(), 1U);
  EXPECT_EQ(meetings.waits().longest_ns(), 8000);
  EXPECT_EQ(meetings.usual_lateness_ns(0), 0);
  EXPECT_EQ(meetings.usual_lateness_ns(1), 2000);
  EXPECT_EQ(meetings.usual_lateness_ns(2), 8000);
}

TEST(Meetings, SuspectCallsThatMayNotFitAndSayItOnce) {
  Meetings meetings;
  meetings.arrive(0, call(1, 0, 1), of_size(2));
  EXPECT_FALSE(meetings.take_suspicion());
  meetings.arrive(1, call(1, 0, 2), of_size(2));
  EXPECT_TRUE(meetings.take_suspicion());
  EXPECT_FALSE(meetings.take_suspicion());
}

TEST(Meetings, CountACoalescedRankOnce) {
  Meetings meetings;
  LiveCall again = call(1, 10);
  again.is_repeated = true;
  meetings.arrive(0, call(1, 0), of_size(2));
  meetings.arrive(0, again, of_size(2));
  EXPECT_EQ(meetings.waits().count(), 0U);
  meetings.arrive(1, call(1, 5), of_size(2));
  EXPECT_EQ(meetings.waits().count(), 1U);
}

TEST(Meetings, ForgetWaitsThatWereLongAgo) {
  WaitHistory waits;
  waits.add(1'000'000);
  for (int i = 0; i < 256; ++i) waits.add(10);
  EXPECT_EQ(waits.longest_ns(), 10);
  EXPECT_EQ(waits.count(), 257U);
}

TEST(Meetings, FollowWhatIsUsual) {
  Meetings meetings;
  meetings.arrive(0, call(1, 0), of_size(2));
  meetings.arrive(1, call(1, 1000), of_size(2));
  meetings.arrive(0, call(2, 0), of_size(2));
  meetings.arrive(1, call(2, 2000), of_size(2));
  EXPECT_EQ(meetings.usual_lateness_ns(1), 1100);
}

TEST(Meetings, AreForgottenWhenSomebodyNeverComes) {
  constexpr std::uint64_t kOpen = 1 << 16;
  Meetings meetings;
  for (std::uint64_t sequence = 1; sequence < kOpen; ++sequence) {
    meetings.arrive(0, call(sequence, 0), of_size(2));
  }
  meetings.arrive(1, call(1, 5), of_size(2));
  EXPECT_EQ(meetings.waits().count(), 1U) << "so many are remembered";
  for (std::uint64_t sequence = kOpen; sequence <= kOpen + 2; ++sequence) {
    meetings.arrive(0, call(sequence, 0), of_size(2));
  }
  meetings.arrive(1, call(2, 5), of_size(2));
  EXPECT_EQ(meetings.waits().count(), 1U) << "and no more";
}

TEST(Meetings, BelieveNoSizeOfAFile) {
  Meetings meetings;
  for (std::uint64_t sequence = 1; sequence <= 1000; ++sequence) {
    meetings.arrive(0, call(sequence, 0), of_size(std::size_t{1} << 50));
  }
  EXPECT_EQ(meetings.waits().count(), 0U);
}

}  // namespace
}  // namespace lockstep::watch
