#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/rules/catalogue.h"
#include "check/rules/evaluate.h"
#include "check/rules/judge.h"

namespace lockstep::rules {
namespace {

using base::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Value value_of(const std::string& text, const Json& launch = Json::object()) {
  const auto expression = Expression::parse(text, "test");
  EXPECT_TRUE(expression.ok()) << text;
  Scope scope;
  scope.launch = &launch;
  const Value value = evaluate(expression.value(), scope).value;
  return value.is_known() ? Value(value.json()) : Value();
}

bool holds(const std::string& text, const Json& launch = Json::object()) {
  return is_true(value_of(text, launch));
}

TEST(Expressions, NumbersTextsAndLists) {
  EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
  EXPECT_TRUE(holds("\"8\" > 7 and not (2 > 3)"));
  EXPECT_TRUE(holds("\"b\" in [\"a\", \"b\"]"));
  EXPECT_TRUE(holds("count([1, 5, 9], it > 4) == 2"));
  EXPECT_TRUE(holds("map([1, 2], it * 2) == [2, 4]"));
  EXPECT_TRUE(holds("duplicates([\"a\", \"b\", \"a\"]) == [\"a\"]"));
  EXPECT_TRUE(holds("version_below(\"2.9.1\", \"2.21\")"));
  EXPECT_FALSE(holds("version_below(\"2.21\", \"2.9.1\")"));
}

TEST(Expressions, WhatIsNotKnownDecidesNothing) {
  EXPECT_FALSE(value_of("nothing.there == 1").is_known());
  EXPECT_FALSE(value_of("not (nothing.there == 1)").is_known());
  EXPECT_FALSE(value_of("nothing > 1 and true").is_known());
  EXPECT_TRUE(holds("not has(nothing.there)"));
  EXPECT_TRUE(holds("true or nothing > 1"));
  EXPECT_TRUE(holds("not (nothing > 1 and false)"));
  EXPECT_FALSE(value_of("1 / 0").is_known());
}

TEST(Expressions, AddressesAndInterfaces) {
  EXPECT_TRUE(holds("is_loopback(\"127.0.1.1\") and is_loopback(\"localhost\") and not is_loopback(\"a\")"));
  EXPECT_TRUE(holds("network_of(\"10.1.2.3/20\") == \"10.1.0.0/20\""));
  EXPECT_TRUE(
      holds("in_network(\"10.1.2.3\", \"10.1.0.0/16\") and not in_network(\"10.2.0.1\", \"10.1.0.0/16\")"));
  EXPECT_TRUE(holds("nccl_selects(\"eth\", \"eth1\") and not nccl_selects(\"=eth1\", \"eth10\")"));
  EXPECT_TRUE(holds("nccl_selects(\"^docker,lo\", \"eth0\") and not nccl_selects(\"^docker,lo\", \"lo\")"));
  EXPECT_TRUE(holds("host_of(\"[::1]:80\") == \"::1\" and port_of(\"a:80\") == 80"));
}

TEST(Expressions, ReadPathsAreTold) {
  const Json launch = Json::parse(R"({"env": {"A": "1", "B": "2"}})");
  const auto expression = Expression::parse("env.A == 1 and env.B > 1", "test");
  Scope scope;
  scope.launch = &launch;
  EXPECT_THAT(evaluate(expression.value(), scope).read, ElementsAre("env/A", "env/B"));
}

TEST(Expressions, WrongTextIsRefusedWithAReason) {
  for (const char* text : {"", "a ==", "f(", "no_such(1)", "any(1)", "\"open", "a b", "((1)"}) {
    EXPECT_FALSE(Expression::parse(text, "test").ok()) << text;
  }
  EXPECT_FALSE(Expression::parse(std::string(5000, '('), "test").ok());
}

TEST(Catalogue, HasTheRulesAndEverySampleIsAsItShouldBe) {
  const auto entries = read_rule_folder(LOCKSTEP_SOURCE_DIR "/catalogue/rules");
  ASSERT_TRUE(entries.ok()) << entries.error().why;
  EXPECT_GE(entries.value().size(), 150U);
  EXPECT_THAT(sample_faults(entries.value()), IsEmpty());
  EXPECT_EQ(built_in_rules().size(), entries.value().size());
}

TEST(Catalogue, TwoFilesWithOneIdAreRefused) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rules_with_one_id";
  std::filesystem::create_directories(folder);
  for (const char* name : {"one.yaml", "other.yaml"}) std::ofstream(folder / name) << "id: X1\n";
  const auto entries = read_rule_folder(folder);
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(entries.ok());
  EXPECT_THAT(entries.error().why, HasSubstr("its id 'X1' is that of"));
}

Json small_rule() {
  return Json::parse(R"({"id": "X1", "code": "check.x", "leaf": "SETUP-FAIL", "severity": "error",
    "basis": "source", "when": "env.A == 1", "title": "A is {env.A}", "says": "Because.",
    "fix": {"pattern": "other", "title": "Do", "commands": ["set A={env.A}"]},
    "fails": [{"env": {"A": "1"}}], "passes": [{"env": {"A": "2"}}]})");
}

TEST(Catalogue, SamplesThatAreNotAsTheRuleSaysAreNamed) {
  Json rule = small_rule();
  EXPECT_THAT(sample_faults(Json::array({rule})), IsEmpty());
  std::swap(rule["fails"], rule["passes"]);
  EXPECT_THAT(sample_faults(Json::array({rule})),
              ElementsAre(HasSubstr("'fails' is not found"), HasSubstr("'passes' is found")));
  rule.erase("fails");
  EXPECT_THAT(sample_faults(Json::array({rule})), SizeIs(2));
}

TEST(Catalogue, GeneralKnowledgeCanOnlyWarn) {
  Json rule = small_rule();
  rule["basis"] = "general";
  EXPECT_FALSE(decode_rule(rule, "X1").ok());
  rule["severity"] = "warning";
  EXPECT_TRUE(decode_rule(rule, "X1").ok());
}

TEST(Judge, AFindingNamesTheValueAndWhereItStands) {
  config::Inputs inputs;
  inputs.files = {"a.sh"};
  inputs.read_file = [](const std::string&) -> Result<std::string> { return std::string("\nexport A=1\n"); };
  const config::Configuration configuration = config::read_configuration(inputs);
  const auto rule = decode_rule(small_rule(), "X1");
  const std::vector<Hit> hits = apply({&rule.value(), 1}, {configuration, {}});
  ASSERT_THAT(hits, SizeIs(1));
  const model::Finding& finding = hits[0].finding;
  EXPECT_EQ(finding.title, "A is 1");
  ASSERT_THAT(finding.evidence, SizeIs(1));
  EXPECT_EQ(finding.evidence[0].file, "a.sh");
  EXPECT_EQ(finding.evidence[0].line, 2);
  EXPECT_THAT(finding.evidence[0].text, HasSubstr("variable A"));
  EXPECT_THAT(finding.fixes[0].commands, ElementsAre("set A=1"));
}

TEST(Judge, HostsWithTheSameFaultAreOneFinding) {
  Json entry = small_rule();
  entry["for"] = "host";
  entry["when"] = "host.versions.x == 1";
  const auto rule = decode_rule(entry, "X1");
  const config::Configuration none;
  const std::vector<HostDocument> hosts = {
      {"a.json", Json::parse(R"({"host": "a", "versions": {"x": "1"}})")},
      {"b.json", Json::parse(R"({"host": "b", "versions": {"x": "2"}})")},
      {"c.json", Json::parse(R"({"host": "c", "versions": {"x": "1"}})")}};
  const std::vector<Hit> hits = apply({&rule.value(), 1}, {none, hosts});
  ASSERT_THAT(hits, SizeIs(1));
  EXPECT_THAT(hits[0].hosts, ElementsAre("a", "c"));
  EXPECT_EQ(hits[0].finding.evidence[1].file, "c.json");
}

TEST(BuiltInRules, LeakNoTemplateWhateverTheValues) {
  const Json hostile = {{"env", {{"GLOO_SOCKET_IFNAME", "{job.master_addr}\x1b[2J"}}}};
  const Json nothing = Json::object();
  for (const Json* launch : {&nothing, &hostile}) {
    Scope scope;
    scope.launch = launch;
    for (const Rule& rule : built_in_rules()) {
      std::vector<std::string> texts = {worded(rule.title, scope), worded(rule.says, scope),
                                        worded(rule.sees, scope), rule.fix.title};
      for (const Wording& command : rule.fix_commands) texts.push_back(worded(command, scope));
      texts.insert(texts.end(), rule.fix.steps.begin(), rule.fix.steps.end());
      for (std::string text : texts) {
        const std::size_t value =
            text.find("{job.master_addr}");  // as it was given, and not filled in once more
        if (value != std::string::npos) text.erase(value, std::string("{job.master_addr}").size());
        EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << rule.id << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::rules
