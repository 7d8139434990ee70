// What loggers, launchers and schedulers put before a line changes nothing about what the line says: no clock
// gives a port, no thread or process id a rank.
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
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/scan.h"

namespace lockstep::logs {
namespace {

struct PrefixFormat {
  std::string_view text;
  std::optional<int> rank = std::nullopt;  // that it names
};

constexpr PrefixFormat kPrefixes[] = {
    {"[default0]:", 0},  // torchrun --tee
    {"[rank3]: ", 3},    // PyTorch
    {"[rank12]:", 12},
    {"[1,3]<stderr>:", 3},  // mpirun --tag-output
    {"[3]<stdout>:", 3},    // horovodrun
    {"3: ", 3},             // srun --label
    {" 7: ", 7},
    {"[worker-2]: ", 2},                         // TensorFlow's runner
    {"W1118 09:12:02.111222333 "},               // glog
    {"W1118 09:12:02.111222333 4242 "},          // glog with the thread
    {"I1118 09:12:02.111222 140012345678912 "},  // absl
    {"[W1118 09:12:02.111222333 "},              // c10
    {"2026-11-18 09:12:02,345 "},                // Python's logging
    {"2026-11-18 09:12:02,345 - trainer - INFO - "},
    {"INFO:trainer:"},
    {"2026-11-18 09:12:02.345 | ERROR    | __main__:main:44 - "},  // loguru
    {"[2026-11-18 03:00:07] "},
    {"[2026-11-18 03:00:07,123] [INFO] [engine.py:211:log] "},  // DeepSpeed
    {"[2026-11-18 03:00:07.123: W] "},
    {"2026-11-18T09:12:02Z "},
    {"2026-11-18T09:12:02.345678901Z "},  // kubectl logs --timestamps, docker logs -t
    {"2026-11-18T09:12:02.345+01:00 "},
    {"2026-11-18T09:12:02+0000 "},
    {"2026-11-18T09:12:02.345678901Z stderr F "},  // containerd
    {"2026/11/18 09:12:02 "},                      // Go
    {"18/Nov/2026:09:12:02 +0000 "},
    {"Nov 18 09:12:02 node-a python[4242]: "},  // syslog, journald
    {"Nov 18 09:12:02 node-a systemd[1]: "},
    {"<13>1 2026-11-18T09:12:02.345Z node-a train 4242 - - "},  // syslog, RFC 5424
    {"Wed Nov 18 09:12:02 2026 "},
    {"[Wed Nov 18 09:12:02 2026] "},
    {"09:12:02.345 "},
    {"1763457122.345 "},  // seconds since 1970
    {"[1763457122345] "},
    {"(RayTrainWorker pid=4242, ip=10.0.0.9) "},  // Ray
    {"(RayTrainWorker pid=4242) "},
    {"[pod/job-worker-4/main] ", 4},  // kubectl logs --prefix
    {"worker-4  | "},                 // docker compose
    {"node-1: "},                     // pdsh
    {"[node1:4242] "},                // Open MPI
    {"[140012345678912] "},           // thread ids
    {"[Thread-7 (worker)] "},
    {"<0x7f1c40001230> "},
    {"[pid 29501] "},
    {"gpu-12 4242 29502 "},
    {"\x1b[36m[2026-11-18 09:12:02]\x1b[0m "},  // colours
};

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

}  // namespace
}  // namespace lockstep::logs
