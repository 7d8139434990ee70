// What loggers, launchers and schedulers put before a line changes nothing about what the line says: no clock
// gives a port, no thread or process id a rank.
#include "diagnose/logs/testing/line_prefixes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "diagnose/logs/candidate.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/judge.h"
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/scan.h"

namespace lockstep::logs {
namespace {

using testing::kPrefixes;
using testing::PrefixFormat;

const catalogue::Catalogue& entries() {
  static const auto loaded = catalogue::Catalogue::load();
  CHECK(loaded.ok(), "the built-in catalogue loads");
  return loaded.value();
}

// Of every entry. Some are of several lines; such a text has a form of its own.
const std::vector<std::string>& sample_lines() {
  static const std::vector<std::string> lines = [] {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < entries().size(); ++i) {
      for (const std::string& sample : entries().symptom(i).matches) {
        if (sample.find('\n') == std::string::npos) all.push_back(sample);
      }
    }
    return all;
  }();
  return lines;
}

using Line = std::pair<std::size_t, std::string>;  // of the sample, and the code that knows it

struct Reading {
  std::map<Line, base::Regex::Captures> told;
  std::set<int> ranks;
};

Reading read_with(std::string_view prefix) {
  std::string text;
  std::vector<std::size_t> begins;
  for (const std::string& line : sample_lines()) {
    begins.push_back(text.size());
    text += std::string(prefix) + line + "\n";
  }
  const LogText log{.name = "job.log", .bytes = text, .rank = std::nullopt};
  const std::vector<Scan> scans = scan_logs(entries(), {&log, 1}, {}, {});
  const Context context(entries(), {&log, 1}, scans);
  const LineSources sources({&log, 1});
  Reading reading;
  for (const Sighting& sighting : sightings_in(entries(), {&log, 1}, scans, context, sources)) {
    const auto after = std::ranges::upper_bound(begins, sighting.line.begin);
    const auto sample = static_cast<std::size_t>(after - begins.begin()) - 1;
    reading.told.try_emplace({sample, sighting.symptom->code}, sighting.captures);
    if (sighting.rank) reading.ranks.insert(*sighting.rank);
  }
  return reading;
}

// Entries that ask for the beginning of a line, or against which a logger's own severity speaks, see a
// prefix; most do not. Whatever they see, they read the same facts.
TEST(LinePrefixes, ChangeNoFactAndGiveNoRankButTheirOwn) {
  const Reading bare = read_with("");
  ASSERT_GT(bare.told.size(), 500U);
  for (const PrefixFormat& prefix : kPrefixes) {
    const Reading reading = read_with(prefix.text);
    std::size_t kept = 0;
    for (const auto& [line, captures] : reading.told) {
      const auto same = bare.told.find(line);
      if (same != bare.told.end()) {
        ++kept;
        EXPECT_EQ(captures, same->second) << prefix.text << sample_lines()[line.first];
      } else {
        EXPECT_TRUE(captures.empty()) << prefix.text << sample_lines()[line.first];
      }
    }
    EXPECT_GT(kept, bare.told.size() * 3 / 4) << prefix.text;
    for (const int rank : reading.ranks)
      EXPECT_TRUE(bare.ranks.contains(rank) || prefix.rank == rank)
          << "rank " << rank << " of " << prefix.text;
  }
}

// Whole logs, of which each rank is told by PyTorch, srun or the watchdog itself.
constexpr std::string_view kLogs[] = {
    "loading configuration from conf/base.yaml\n"
    "[W1118 09:12:02.111222333 socket.cpp:464] [c10d] The server socket has failed to bind to [::]:29500 "
    "(errno: 98 - Address already in use).\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/train.py\", line 12, in <module>\n"
    "    dist.init_process_group(\"nccl\")\n"
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network "
    "address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n",

    "step 0 loss 4.3\nstep 5 loss 4.1\n"
    "[rank2]: Traceback (most recent call last):\n"
    "[rank2]:   File \"/home/u/train.py\", line 44, in <module>\n"
    "[rank2]:     main()\n"
    "[rank2]:   File \"/home/u/train.py\", line 31, in main\n"
    "[rank2]:     raise ValueError(\"could not parse sample 4711.jpg\")\n"
    "[rank2]: ValueError: could not parse sample 4711.jpg\n"
    "E1118 09:12:03.600000 4242 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) "
    "local_rank: 2 (pid: 4252) of binary: /opt/venv/bin/python\n",

    "[rank0]:[E1118 09:12:02.111222333 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=18273, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n"
    "[rank2]:[E1118 09:12:02.211222333 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=18273, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600031 milliseconds before timing out.\n"
    "[rank1]:[E1118 09:12:02.411222333 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=18273, OpType=ALLGATHER, NumelIn=512, NumelOut=2048, "
    "Timeout(ms)=600000) ran for 600040 milliseconds before timing out.\n",

    "step 100 loss 2.0\n"
    "slurmstepd: error: Detected 1 oom_kill event in StepId=8841.0. Some of the step tasks have been OOM "
    "Killed.\n"
    "srun: error: gpu-12: task 6: Out Of Memory\n"
    "srun: Terminating StepId=8841.0\n",

    "step 0 loss 10.9\nstep 10 loss 9.1\nstep 20 loss 8.8\nTraining finished\n",

    "[W1118 09:12:02.111222333 socket.cpp:697] [c10d] The client socket has failed to connect to "
    "[node0]:29500 (errno: 111 - Connection refused).\n"
    "step 0 loss 3.2\nstep 10 loss 2.2\nTraining finished\n",

    "{'loss': 1.91, 'grad_norm': 1.0, 'learning_rate': 3.5e-05, 'epoch': 0.6}\n"
    "Training completed. Error rate: 0.021 (WER), 0 failed samples, max retries 3, timeout=30\n",
};

struct Answer {
  std::string title;  // empty: nothing is wrong
  std::vector<int> root_ranks;
  std::vector<int> ranks_seen;

  bool operator==(const Answer&) const = default;
};

Answer answer_to(std::string_view prefix, std::string_view text) {
  std::string prefixed;
  for_each_line(text, 0, text.size(),
                [&](std::string_view line, LineSpan) { prefixed.append(prefix).append(line) += '\n'; });
  const LogText log{.name = "job.log", .bytes = prefixed, .rank = std::nullopt};
  const LogVerdict verdict = judge(entries(), {&log, 1});
  Answer answer{.title = {}, .root_ranks = {}, .ranks_seen = verdict.job.ranks_seen};
  if (verdict.findings.empty()) return answer;
  answer.title = verdict.findings.front().title;
  answer.root_ranks = verdict.findings.front().root_ranks;
  return answer;
}

TEST(LinePrefixes, ChangeNoVerdict) {
  for (const std::string_view text : kLogs) {
    const Answer bare = answer_to("", text);
    for (const PrefixFormat& prefix : kPrefixes) {
      if (prefix.rank || prefix.is_error) continue;  // it says more than when and where
      const Answer answer = answer_to(prefix.text, text);
      EXPECT_EQ(answer.title, bare.title) << prefix.text << text;
      EXPECT_EQ(answer.root_ranks, bare.root_ranks) << prefix.text << text;
      EXPECT_EQ(answer.ranks_seen, bare.ranks_seen) << prefix.text << text;
    }
  }
}

}  // namespace
}  // namespace lockstep::logs
