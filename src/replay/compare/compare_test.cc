#include "replay/compare/compare.h"

#include <gtest/gtest.h>

#include "lockstep/recorder.h"

#include "replay/compare/verdict.h"

namespace lockstep::replay {
namespace {

record::ContentHash hash(std::uint8_t value) {
  record::ContentHash hash{};
  hash.fill(value);
  return hash;
}

// Two steps of two all-reduces each; every input and result differs from every other.
record::Payload run_of_two_steps() {
  record::Payload run;
  run.communicators[7] = {.name = "0", .members = {0, 1}};
  run.state_names[9] = {"weight", "weight momentum"};
  for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
    record::PayloadCall call;
    call.key = {.communicator = 7, .sequence = sequence};
    call.step = (sequence - 1) / 2;
    call.operation = LOCKSTEP_OPERATION_AllReduce;
    call.input_bytes = 16;
    call.input = hash(static_cast<std::uint8_t>(sequence));
    run.calls.push_back(call);
    record::PayloadResult result;
    result.outputs.push_back({hash(static_cast<std::uint8_t>(100 + sequence)), 16});
    run.results[call.key] = result;
    if (sequence % 2 == 0)
      run.states.push_back({.step = sequence / 2, .names = 9, .sums = {sequence, sequence + 1}});
  }
  return run;
}

TEST(Compare, SumsOfADeviceAreNotComparedWithHashes) {
  record::Payload other = run_of_two_steps();
  for (record::PayloadCall& call : other.calls) {
    call.input = hash(70);
    call.is_device_sum = true;
  }
  EXPECT_EQ(compare_runs(run_of_two_steps(), other).differing_inputs, 0u);
}

TEST(Compare, EqualRunsGiveNoFinding) {
  const Comparison comparison = compare_runs(run_of_two_steps(), run_of_two_steps());
  EXPECT_TRUE(comparison.is_equal());
  EXPECT_EQ(comparison.calls, 4u);
  EXPECT_EQ(comparison.states, 2u);
  EXPECT_FALSE(finding_from(comparison, {.rank = 0, .first = "a", .second = "b"}));
}

TEST(Compare, TheFirstDifferingInputIsNamedWithItsStep) {
  record::Payload other = run_of_two_steps();
  other.calls[2].input = hash(50);
  other.calls[3].input = hash(51);
  const Comparison comparison = compare_runs(run_of_two_steps(), other);
  ASSERT_TRUE(comparison.first_call);
  EXPECT_EQ(comparison.first_call->call.key.sequence, 3u);
  EXPECT_EQ(comparison.differing_inputs, 2u);
  EXPECT_EQ(comparison.inputs_by_step, (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(comparison.ends_equal);
  const auto finding = finding_from(comparison, {.rank = 1, .first = "a", .second = "b"});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "replay.input_differs");
  EXPECT_NE(finding->title.find("all_reduce 3 of group 0 differs first, in step 2"), std::string::npos)
      << finding->title;
  EXPECT_NE(finding->explanation.find("ends equal all the same"), std::string::npos);
}

TEST(Compare, DriftThatNoCollectiveShowsIsFoundByTheState) {
  record::Payload other = run_of_two_steps();
  other.states[0].sums[1] = 77;
  other.states[1].sums[1] = 78;
  const Comparison comparison = compare_runs(run_of_two_steps(), other);
  ASSERT_TRUE(comparison.first_state);
  EXPECT_EQ(comparison.first_state->step, 1u);
  EXPECT_EQ(comparison.first_state->names, std::vector<std::string>{"weight momentum"});
  EXPECT_FALSE(comparison.ends_equal);
  EXPECT_EQ(finding_from(comparison, {.rank = 0, .first = "a", .second = "b"})->code, "replay.state_differs");
}

TEST(Compare, StateThatOneRunHasBesideTheOtherIsNotCompared) {
  record::Payload other = run_of_two_steps();
  other.state_names[11] = {"left over", "weight", "weight momentum"};
  other.states[1] = {.step = 2, .names = 11, .sums = {8, 4, 5}};
  const Comparison equal = compare_runs(run_of_two_steps(), other);
  EXPECT_TRUE(equal.is_equal());
  EXPECT_EQ(equal.states, 2u);
  other.states[1].sums[2] = 77;
  const Comparison comparison = compare_runs(run_of_two_steps(), other);
  ASSERT_TRUE(comparison.first_state);
  EXPECT_EQ(comparison.first_state->step, 2u);
  EXPECT_EQ(comparison.first_state->names, std::vector<std::string>{"weight momentum"});
  EXPECT_EQ(comparison.first_state->of, 2u);
}

TEST(Compare, RanksOfOneJobMayDifferInStateThatIsNotTrained) {
  record::Payload run = run_of_two_steps();
  run.state_names[9] = {"kernel", "metric/total (not trained)"};
  record::Payload other = run;
  other.states[0].sums[1] = 77;
  EXPECT_TRUE(compare_ranks(run, other).is_equal());
  EXPECT_EQ(compare_runs(run, other).differing_states, 1u);
  other.states[0].sums[0] = 78;
  EXPECT_EQ(compare_ranks(run, other).first_state->names, std::vector<std::string>{"kernel"});
}

TEST(Compare, OrderOfCallsMeansNothing) {
  record::Payload other = run_of_two_steps();
  std::swap(other.calls[0], other.calls[1]);
  EXPECT_TRUE(compare_runs(run_of_two_steps(), other).is_equal());
}

TEST(Compare, ACallThatIsMissingIsNamed) {
  record::Payload other = run_of_two_steps();
  other.calls.pop_back();
  const Comparison comparison = compare_runs(run_of_two_steps(), other);
  EXPECT_EQ(comparison.only_in_first, 1u);
  ASSERT_TRUE(comparison.first_missing);
  EXPECT_EQ(comparison.first_missing->call.key.sequence, 4u);
  EXPECT_EQ(compare_runs(other, run_of_two_steps()).only_in_second, 1u);
}

TEST(Compare, RanksOfOneJobMayBeGivenDifferentThingsButMustGetTheSame) {
  record::Payload other = run_of_two_steps();
  for (record::PayloadCall& call : other.calls) call.input = hash(60);
  EXPECT_TRUE(compare_ranks(run_of_two_steps(), other).is_equal());
  other.results[other.calls[1].key].outputs[0].hash = hash(61);
  const Comparison comparison = compare_ranks(run_of_two_steps(), other);
  ASSERT_TRUE(comparison.first_call);
  EXPECT_TRUE(comparison.first_call->output_differs);
  EXPECT_EQ(comparison.first_call->call.key.sequence, 2u);
}

TEST(Compare, StepsAreNamedOnlyWhereTheyAreKnown) {
  record::Payload run = run_of_two_steps();
  run.states.clear();
  record::Payload other = run;
  other.calls[2].input = hash(50);
  const auto finding = finding_from(compare_runs(run, other), {.rank = 1, .first = "a", .second = "b"});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->title.find("step"), std::string::npos);
}

TEST(Compare, AStepWhoseStateIsNotKnownIsNotCompared) {
  record::Payload run = run_of_two_steps();
  for (record::PayloadState& state : run.states) state = {.step = state.step, .names = 0, .sums = {}};
  EXPECT_EQ(compare_runs(run, run).states, 0u);
}

}  // namespace
}  // namespace lockstep::replay
