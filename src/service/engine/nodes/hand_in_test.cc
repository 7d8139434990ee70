#include "service/engine/nodes/hand_in.h"

#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;

enum class Answer : std::uint8_t { kTaken, kTakenButSilent, kRefused, kSilent };

// A scheduler that answers as it is told to, one word for each question.
class HandInTest : public testing::Test {
 protected:
  HandInTest()
      : folder_{std::filesystem::path(testing::TempDir()) / ("hand_in_" + std::to_string(::getpid()))} {
    std::filesystem::create_directories(folder_.path);
  }
  ~HandInTest() override { std::filesystem::remove_all(folder_.path); }

  std::optional<NotHandedIn> hand_in_to(std::vector<Answer> answers, bool may_be_there = false) {
    answers_ = std::move(answers);
    const Error none{"Slurm did not answer", "squeue", "connect failure", ""};
    return hand_in(folder_,
                   {.scheduler = "Slurm",
                    .is_there = [this, none]() -> Result<bool> {
                      said_.emplace_back("is it there");
                      if (is_away_) return none;
                      return has_it_;
                    },
                    .submit = [this, none]() -> Result<void> {
                      said_.emplace_back("take it");
                      EXPECT_FALSE(has_it_) << "it is handed in twice";
                      const Answer answer = answers_.empty() ? Answer::kRefused : answers_.front();
                      if (!answers_.empty()) answers_.erase(answers_.begin());
                      has_it_ = answer == Answer::kTaken || answer == Answer::kTakenButSilent;
                      is_away_ = answer == Answer::kSilent || answer == Answer::kTakenButSilent;
                      if (answer == Answer::kTaken) return {};
                      if (answer == Answer::kRefused)
                        return Error{"Slurm refused the job", "sbatch", "no such account", ""};
                      return none;
                    },
                    .pause =
                        [this] {
                          said_.emplace_back("pause");
                          is_away_ = false;
                        }},
                   may_be_there);
  }

  const AttemptFolder folder_;
  std::vector<Answer> answers_;
  std::vector<std::string> said_;
  bool has_it_ = false;
  bool is_away_ = false;
};

TEST_F(HandInTest, OneThatIsTakenIsNotAskedAbout) {
  EXPECT_FALSE(hand_in_to({Answer::kTaken}));
  EXPECT_THAT(said_, ElementsAre("take it"));
}

TEST_F(HandInTest, NoAnswerIsNoRefusal) {
  EXPECT_FALSE(hand_in_to({Answer::kSilent, Answer::kSilent, Answer::kSilent, Answer::kTaken}));
  EXPECT_THAT(base::read_file(folder_.news(), 4096).value(),
              testing::AllOf(testing::HasSubstr("waiting\tSlurm does not answer: connect failure"),
                             testing::Not(testing::HasSubstr("\nwaiting"))));
}

TEST_F(HandInTest, WhatWasTakenWithoutAnAnswerIsNotHandedInAgain) {
  EXPECT_FALSE(hand_in_to({Answer::kTakenButSilent}));
  EXPECT_THAT(said_, ElementsAre("take it", "is it there", "pause", "is it there"));
}

TEST_F(HandInTest, ARefusalIsOneWhenTheSchedulerIsThere) {
  const auto why = hand_in_to({Answer::kRefused, Answer::kRefused});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason.kind, EndKind::kRefused);
  EXPECT_EQ(why->reason.text, "Slurm refused it: no such account");
}

TEST_F(HandInTest, WhoComesLaterAsksFirst) {
  has_it_ = true;
  EXPECT_FALSE(hand_in_to({}, true));
  EXPECT_THAT(said_, ElementsAre("is it there"));
}

TEST_F(HandInTest, WhatIsToEndIsNotHandedIn) {
  ASSERT_TRUE(note_end_asked(folder_).ok());
  const auto why = hand_in_to({Answer::kTaken});
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->was_asked);
  EXPECT_TRUE(said_.empty());
}

// As an sbatch does whose supervisor was killed.
TEST_F(HandInTest, WhoeverStillAsksIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    has_it_ = false;
    (void)hand_in(folder_,
                  {.scheduler = "Slurm",
                   .is_there = [] { return false; },
                   .submit = [&]() -> Result<void> {
                     (void)!::write(ends[1], "x", 1);
                     ::usleep(200'000);
                     (void)base::write_file(folder_.path / "taken", "");
                     return {};
                   },
                   .pause = {}},
                  false);
    ::_exit(0);
  }
  char begun = 0;
  ASSERT_EQ(::read(ends[0], &begun, 1), 1);
  bool was_taken = false;
  const auto end = hand_in(folder_,
                           {.scheduler = "Slurm",
                            .is_there = [&]() -> Result<bool> {
                              was_taken = std::filesystem::exists(folder_.path / "taken");
                              return was_taken;
                            },
                            .submit = [] { return Result<void>(); },
                            .pause = {}},
                           true);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(end);
  EXPECT_TRUE(was_taken);
}

}  // namespace
}  // namespace lockstep::service
