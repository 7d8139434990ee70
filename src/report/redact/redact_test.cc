#include "report/redact/redact.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "report/format.h"

namespace lockstep::report {
namespace {

using model::Finding;
using model::Verdict;
using testing::HasSubstr;
using testing::Not;

Verdict verdict_of(const std::vector<std::string>& lines) {
  Finding finding;
  finding.code = "hang.watchdog";
  finding.title = "title";
  for (const std::string& line : lines)
    finding.evidence.push_back({.file = "rank_0.log", .line = 3, .rank = 0, .text = line});
  return {.job = {}, .findings = {finding}, .limits = {}};
}

std::string redacted(const std::string& line) {
  return redact(verdict_of({line})).findings[0].evidence[0].text;
}

struct Shown {
  std::string line;
  std::string expected;
};

TEST(Redact, HidesHostsWhereLinesNameThem) {
  for (const Shown& shown : std::vector<Shown>{
           {"gpu-a01:4711:4802 [0] NCCL INFO Bootstrap", "host-1:4711:4802 [0] NCCL INFO Bootstrap"},
           {"[trainbox:08193] *** Process received signal ***",
            "[host-1:08193] *** Process received signal ***"},
           {"srun: error: zeus017: task 3: Exited with exit code 1",
            "srun: error: host-1: task 3: Exited with exit code 1"},
           {"connect to [gpu-a01.lab.corp]:29500 from gpu-a01", "connect to [host-1]:29500 from host-1"},
           {"  host      : gpu-a01", "  host      : host-1"},
           {"MASTER_ADDR=head7 tcp://head7:29500", "MASTER_ADDR=host-1 tcp://host-1:29500"},
           {"Nov 15 10:22:33 gpu-a01 kernel: NVRM: Xid", "Nov 15 10:22:33 host-1 kernel: NVRM: Xid"},
           {"trainer-0.trainer.default.svc.cluster.local is down, trainer-0 too",
            "host-1 is down, trainer-0 too"},
           {"ip-10-0-3-17.ec2.internal lost", "host-1 lost"},
           {"[1,12]<stderr>:[algo-16:17086] [ 1] python", "[1,12]<stderr>:[host-1:17086] [ 1] python"},
           {"Running 27m k8s-node1", "Running 27m host-1"},
           {"alice@gpu-a01: no route; GPU-A01 is away", "user-1@host-1: no route; host-1 is away"},
       }) {
    EXPECT_EQ(redacted(shown.line), shown.expected);
  }
}

TEST(Redact, HidesAddresses) {
  EXPECT_EQ(redacted("10.0.3.17:29500 <- 10.0.3.18, 10.0.3.17."), "address-1:29500 <- address-2, address-1.");
  EXPECT_EQ(redacted("ipv4:52.3.4.5:2222 [fe80::a00:27ff:fe4e:66a1]:80 2001:db8::7"),
            "ipv4:address-3:2222 [address-1]:80 address-2");
  EXPECT_EQ(redacted("eth0 0c:42:a1:00:ff:3e up"), "eth0 mac-1 up");
  EXPECT_EQ(redacted("write to ann.lee@mail.example.com"), "write to email-1");
}

TEST(Redact, HidesUsers) {
  EXPECT_EQ(redacted("/home/alice/run/train.py of alice, not malice"),
            "/home/user-1/run/train.py of user-1, not malice");
  EXPECT_EQ(redacted("USER=bob cannot write /scratch/bob"), "USER=user-1 cannot write /scratch/user-1");
}

TEST(Redact, HidesSecrets) {
  for (const std::string& secret : std::vector<std::string>{
           "AKIAIOSFODNN7EXAMPLE", "hf_abcdefghijklmnopQRST", "ghp_0123456789abcdefABCDEF",
           "sk-proj-abcdefghij0123456789", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
           "glpat-abcdefghij0123456789"}) {
    EXPECT_EQ(redacted("got " + secret + " here"), "got secret-1 here");
  }
  for (const std::string& name : std::vector<std::string>{
           "password=", "PASSWORD: ", "api_key='", "\"token\": \"",
           "WANDB_API_KEY=", "HF_TOKEN=", "aws_secret_access_key = ", "--password ", "Authorization: Bearer ",
           "wandb login ", "x --token ", "https://h.lab.corp/?sig=", "key="}) {
    EXPECT_THAT(redacted("run " + name + "0123456789abcdef0123456789abcdef01234567"),
                Not(HasSubstr("89abcdef")))
        << name;
  }
  EXPECT_EQ(redacted("https://ann:pw1@git.lab.corp/x"), "https://user-1:secret-1@host-1/x");
  EXPECT_EQ(redacted("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----\nnext"),
            "secret-1\nnext");
}

TEST(Redact, LeavesWhatIsNobodys) {
  for (const std::string& line : std::vector<std::string>{
           "step=1200 loss=0.4312 lr=1e-3 token=5 num_tokens=4096 pad_token='<pad>' max_new_tokens: 128",
           "PyTorch 2.13.0+cpu, CUDA 12.4, driver version 535.104.5.1, cudnn==8.9.2.26, NCCL version 2.21.5",
           "127.0.0.1:29500 0.0.0.0 localhost:8080 ::1 255.255.255.0",
           "terminate called after throwing an instance of 'c10::Error', at::cat, gloo::EnforceNotMet",
           "  File \"/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, in forward",
           "[rank0]: RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x32 and 8x1)",
           "[rank3]:[W1115 10:22:33.123456 ProcessGroupNCCL.cpp:1496] Warning: destroy_process_group()",
           "Missing key(s) in state_dict: \"layer1.0.weight\". Unexpected key: module.encoder_layers_0_bias",
           "see https://pytorch.org/docs/stable/elastic/errors.html and "
           "https://github.com/pytorch/pytorch/issues/1",
           "commit 8f3a2b1c9d0e4f5a6b7c8d9e0f1a2b3c4d5e6f70 memcpy@plt f (is_root=is_root@entry=true) "
           "threading.local tf.io.gfile",
           "torch.distributed.run trainer.py:88 at 0x7fcd59c5a050 (pid: 7457) host memory 12 GB",
           "ranks 0-3, 5 in collective 4127 of group default_pg: float32 [577]"}) {
    EXPECT_EQ(redacted(line), line);
  }
}

TEST(Redact, OneThingHasOneNameThroughout) {
  Verdict verdict = verdict_of({"zeus017 says nothing", "srun: error: zeus017: task 3: Killed"});
  verdict.findings[0].title = "Rank 3 on zeus017 died";
  verdict.findings[0].evidence[0].file = "logs/zeus017/rank_3.log";
  verdict.limits = {"zeus017_rank_3 left no dump", "ZEUS18 is another"};
  const Verdict result = redact(verdict);
  EXPECT_EQ(result.findings[0].title, "Rank 3 on host-1 died");
  EXPECT_EQ(result.findings[0].evidence[0].file, "logs/host-1/rank_3.log");
  EXPECT_EQ(result.findings[0].evidence[0].text, "host-1 says nothing");
  EXPECT_EQ(result.limits, (std::vector<std::string>{"host-1_rank_3 left no dump", "host-2 is another"}));
}

TEST(Redact, TakesTheNamesTheCallerKnows) {
  const std::vector<std::string> hosts{"zeus", "hera.lab"};
  EXPECT_EQ(redact(verdict_of({"zeus waits for hera.lab"}), hosts).findings[0].evidence[0].text,
            "host-1 waits for host-2");
}

TEST(Redact, AStandInThatIsThereAlreadyIsNotGivenAgain) {
  EXPECT_EQ(redacted("host-1 waits; alice@node7"), "host-1 waits; user-1@host-2");
}

struct Planted {
  std::string text;
  std::string secret;
};

const std::vector<Planted>& plants() {
  static const std::vector<Planted> all{
      {"gpu-a01:1:2 [0] NCCL INFO x", "gpu-a01"},
      {"ssh carol@nebula42 failed", "carol"},
      {"ssh carol@nebula42 failed", "nebula42"},
      {"tcp://vega.astro.example.edu:29500", "vega.astro.example.edu"},
      {"peer 192.168.7.21 closed", "192.168.7.21"},
      {"via 2001:db8:85a3::8a2e:370:7334 now", "2001:db8:85a3::8a2e:370:7334"},
      {"mac 0c:42:a1:00:ff:3e", "0c:42:a1:00:ff:3e"},
      {"open /home/dmitri/data failed", "dmitri"},
      {"mail erin@uni.example.edu", "erin@uni.example.edu"},
      {"HF_TOKEN=hf_ZZyyXXwwVVuuTTss1122", "hf_ZZyyXXwwVVuuTTss1122"},
      {"key AKIAABCDEFGHIJKLMNOP", "AKIAABCDEFGHIJKLMNOP"},
      {"password=hunter2!", "hunter2!"},
      {"Bearer abcdef0123456789", "abcdef0123456789"},
  };
  return all;
}

const std::vector<std::string> kFiller = {
    "step 12 loss 0.5", " ",        "\n",   "(",       ") ",     "rank 3: ", "::", "@", "=", "10.5", "/",
    "host-2",           "\x1b[31m", "\xff", "Error: ", "v1.2.3 "};

RC_GTEST_PROP(Redact, NoFormatShowsWhatWasPlanted, ()) {
  const auto chosen =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, plants().size()));
  const auto filler =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kFiller.size()));
  Verdict verdict = verdict_of({"begin"});
  verdict.job.world_size = 8;
  Finding& finding = verdict.findings[0];
  finding.root_ranks = {3};
  std::size_t place = 0;
  for (const std::size_t which : chosen) {
    std::string text = plants()[which].text;
    if (!filler.empty()) text += " " + kFiller[filler[place % filler.size()]] + " " + plants()[which].secret;
    switch (place++ % 5) {
      case 0:
        finding.evidence.push_back({.file = "logs", .line = 12, .rank = 3, .text = text});
        break;
      case 1:
        finding.explanation += text + "\n";
        break;
      case 2:
        verdict.limits.push_back(text);
        break;
      case 3:
        finding.fixes.push_back(
            {.pattern = model::FixPattern::kOther, .title = text, .steps = {text}, .commands = {text}});
        break;
      default:
        finding.evidence.push_back({.file = text, .line = std::nullopt, .rank = std::nullopt, .text = "x"});
    }
  }
  const Verdict result = redact(verdict);
  for (const Format format : {Format::kText, Format::kJson, Format::kMarkdown, Format::kSarif}) {
    const std::string shown = render(result, format, TextStyle{.colour = false, .width = 4000}, "1");
    for (const std::size_t which : chosen) RC_ASSERT(shown.find(plants()[which].secret) == std::string::npos);
  }
  RC_ASSERT(redact(result) == result);
  RC_ASSERT(result.findings[0].code == finding.code);
  RC_ASSERT(result.findings[0].root_ranks == finding.root_ranks);
  RC_ASSERT(result.job == verdict.job);
  RC_ASSERT(result.findings[0].evidence.size() == finding.evidence.size());
  for (std::size_t at = 0; at < finding.evidence.size(); ++at) {
    RC_ASSERT(result.findings[0].evidence[at].line == finding.evidence[at].line);
    RC_ASSERT(result.findings[0].evidence[at].rank == finding.evidence[at].rank);
  }
}

RC_GTEST_PROP(Redact, TwiceIsOnce, ()) {
  std::vector<std::string> pieces = kFiller;
  for (const Planted& planted : plants()) pieces.insert(pieces.end(), {planted.text, planted.secret});
  const auto line =
      rc::gen::resize(8, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)));
  std::vector<std::string> lines;
  for (const auto& parts :
       *rc::gen::resize(8, rc::gen::container<std::vector<std::vector<std::string>>>(line))) {
    lines.emplace_back();
    for (const std::string& part : parts) lines.back() += part;
  }
  const Verdict once = redact(verdict_of(lines));
  RC_ASSERT(redact(once) == once);
}

}  // namespace
}  // namespace lockstep::report
