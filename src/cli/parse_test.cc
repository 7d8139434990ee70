#include "cli/parse.h"

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using Words = std::vector<std::string>;

Result<Request> parse_words(const Words& words) {
  return parse(words, kVerbsForTests);
}

Args args_of(const Words& words) {
  const Result<Request> request = parse_words(words);
  EXPECT_TRUE(request.ok()) << request.error().what;
  return std::get<RunVerb>(request.value()).args;
}

std::string error_of(const Words& words) {
  const Result<Request> request = parse_words(words);
  return request.ok() ? "no error" : request.error().what + " | " + request.error().hint;
}

TEST(Parse, TakesAValueInAllFourForms) {
  const std::vector<Words> forms = {
      {"dump", "x", "-o", "y"}, {"dump", "x", "-oy"}, {"dump", "x", "--out", "y"}, {"dump", "x", "--out=y"}};
  for (const Words& words : forms) {
    const Args args = args_of(words);
    EXPECT_EQ(args.value("out"), "y");
    EXPECT_EQ(args.operands, Words{"x"});
  }
}

TEST(Parse, KeepsAnEmptyValueAndOneWithAnEqualsSign) {
  EXPECT_EQ(args_of({"dump", "x", "--out="}).value("out"), "");
  EXPECT_EQ(args_of({"dump", "x", "--out", ""}).value("out"), "");
  EXPECT_EQ(args_of({"dump", "x", "--out=a=b"}).value("out"), "a=b");
  EXPECT_EQ(args_of({"dump", "x", "--out=-v"}).value("out"), "-v");
}

TEST(Parse, ReadsJoinedShortFlags) {
  const Args args = args_of({"dump", "-vvoy", "x"});
  EXPECT_TRUE(args.has("verbose"));
  EXPECT_EQ(args.value("out"), "y");
}

TEST(Parse, GivesTheDefaultOfTheTable) {
  const Args args = args_of({"dump", "x"});
  EXPECT_FALSE(args.has("format"));
  EXPECT_EQ(args.value("format"), "text");
  EXPECT_EQ(args.value("out"), std::nullopt);
}

TEST(Parse, GathersARepeatableFlagInOrder) {
  EXPECT_EQ(args_of({"dump", "-f", "b", "x", "--field=a"}).values("field"), (Words{"b", "a"}));
}

TEST(Parse, ReadsNegativeNumbersAndASingleDashAsOperands) {
  EXPECT_EQ(args_of({"dump", "-5", "-", "-.5"}).operands, (Words{"-5", "-", "-.5"}));
  EXPECT_EQ(args_of({"dump", "x", "-f", "-5"}).value("field"), "-5");
}

TEST(Parse, LetsOperandsBeginWithADashAfterTheSeparator) {
  EXPECT_EQ(args_of({"dump", "a", "--", "--json", "-o"}).operands, (Words{"a", "--json", "-o"}));
}

TEST(Parse, KeepsTheCommandByteForByte) {
  EXPECT_TRUE(rc::check("any words after --", [](const Words& command) {
    RC_PRE(!command.empty());
    Words words = {"run", "-p", "--"};
    words.insert(words.end(), command.begin(), command.end());
    RC_ASSERT(args_of(words).command == command);
  }));
}

TEST(Parse, TakesAllFromTheFirstWordThatIsNoFlagForTheCommand) {
  const Args args = args_of({"run", "-p", "torchrun", "--nproc-per-node", "4", "t.py", "--", "-p", "--help"});
  EXPECT_TRUE(args.has("payload"));
  EXPECT_EQ(args.command, (Words{"torchrun", "--nproc-per-node", "4", "t.py", "--", "-p", "--help"}));
  EXPECT_EQ(args_of({"run", "-5", "-p"}).command, (Words{"-5", "-p"}));
  EXPECT_TRUE(rc::check("the same with and without --", [](const Words& more) {
    Words bare = {"run", "-p", "job"};
    Words marked = {"run", "-p", "--", "job"};
    bare.insert(bare.end(), more.begin(), more.end());
    marked.insert(marked.end(), more.begin(), more.end());
    RC_ASSERT(args_of(bare).command == args_of(marked).command);
  }));
}

TEST(Parse, AnswersAnyWordsWithARequestOrAnErrorThatSaysWhatToDo) {
  const auto pieces = rc::gen::element<std::string>(
      "dump", "run", "check", "-", "--", "-o", "--out", "--out=", "-vo", "--json", "--json=1", "-h", "--help",
      "--version", "-5", "", "--color", "never", "\x1b[2J", "-\xff");
  EXPECT_TRUE(rc::check("any line", [&] {
    const auto words = *rc::gen::nonEmpty(rc::gen::container<Words>(pieces));
    const Result<Request> request = parse_words(words);
    const bool is_clear = request.ok() || !request.error().hint.empty();
    RC_ASSERT(is_clear);
  }));
}

TEST(Parse, FindsHelpAndVersion) {
  EXPECT_EQ(std::get<ShowHelp>(parse_words({"--help"}).value()).verb, nullptr);
  EXPECT_EQ(std::get<ShowHelp>(parse_words({"-h"}).value()).verb, nullptr);
  EXPECT_EQ(std::get<ShowHelp>(parse_words({"dump", "--help"}).value()).verb, &kDumpForTests);
  EXPECT_TRUE(std::holds_alternative<ShowVersion>(parse_words({"--version"}).value()));
  EXPECT_TRUE(std::holds_alternative<ShowVersion>(parse_words({"-V"}).value()));
}

TEST(Parse, DoesNotTakeHelpFromTheJobsCommand) {
  EXPECT_EQ(args_of({"run", "--", "python", "--help"}).command, (Words{"python", "--help"}));
}

TEST(Parse, SuggestsTheVerbOrFlagThatWasMeant) {
  EXPECT_EQ(error_of({"dupm"}),
            "unknown verb 'dupm' | did you mean 'dump'?  lockstep --help lists the verbs");
  EXPECT_EQ(error_of({"frobnicate"}), "unknown verb 'frobnicate' | lockstep --help lists the verbs");
  EXPECT_EQ(error_of({"dump", "--jsno=1"}),
            "unknown flag '--jsno' | did you mean '--json'?  lockstep dump --help lists the flags");
  EXPECT_EQ(error_of({"dump", "-json"}),
            "unknown flag '-json' | did you mean '--json'?  lockstep dump --help lists the flags");
}

TEST(Parse, RefusesAGlobalFlagTheVerbDidNotAskFor) {
  EXPECT_EQ(error_of({"run", "--json", "--", "x"}),
            "unknown flag '--json' | lockstep run --help lists the flags");
}

TEST(Parse, RefusesFlagsBeforeTheVerb) {
  EXPECT_EQ(error_of({"--json", "dump"}),
            "unknown flag '--json' before the verb | a verb's flags come after it:  lockstep VERB [flags]");
  EXPECT_EQ(error_of({"--version", "x"}),
            "unexpected argument 'x' after '--version' | for the help of one verb:  lockstep VERB --help");
}

TEST(Parse, NamesWhatIsMissing) {
  EXPECT_EQ(error_of({"dump"}), "missing FILE | usage: lockstep dump FILE... [flags]");
  EXPECT_EQ(error_of({"dump", "x", "-o"}), "missing FILE after '-o' | write --out=FILE");
  EXPECT_EQ(error_of({"dump", "x", "--out", "--json"}), "missing FILE after '--out' | write --out=FILE");
  EXPECT_EQ(error_of({"run", "--"}),
            "missing command | the job's command follows the flags:  lockstep run [flags] CMD...");
}

TEST(Parse, NamesWhatIsTooMuch) {
  EXPECT_EQ(error_of({"check", "a", "b", "--", "c"}),
            "unexpected argument 'b' | usage: lockstep check [VERB] [-- CMD...]");
  EXPECT_EQ(error_of({"dump", "x", "--json=yes"}), "flag '--json' takes no value | write --json");
  EXPECT_EQ(error_of({"dump", "x", "-oa", "--out=b"}), "flag '--out' given twice | give it once");
}

TEST(Parse, RefusesAValueThatIsNotAChoice) {
  EXPECT_EQ(error_of({"dump", "x", "--color=alway"}),
            "'--color' cannot be 'alway' | did you mean 'always'?  choose auto, always or never");
}

TEST(ArgsDeathTest, AskingForAFlagOutsideTheTableIsABug) {
  const Args args = args_of({"run", "--", "x"});
  EXPECT_DEATH((void)args.has("json"), "flags of its table");
}

}  // namespace
}  // namespace lockstep::cli
