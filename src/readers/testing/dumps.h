// The dumps of tests/dumps and the example files of the formats, which the fuzz targets begin with too; and
// jobs compared as a whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/file.h"
#include "model/job.h"
#include "readers/format.h"
#include "readers/source.h"

namespace lockstep::readers::testing {

inline std::string dump_named(const std::string& name) {
  const auto content = base::read_file(std::string(LOCKSTEP_DUMPS) + "/" + name, 1 << 24);
  EXPECT_TRUE(content.ok()) << name;
  return content.ok() ? content.value() : std::string();
}

// As read_all() would read a file of that name.
inline model::Job read_as(const std::string& name, std::string_view bytes) {
  const Source source{.name = name, .path = std::filesystem::path("/dumps") / name, .bytes = bytes};
  const Format* format = sniff(source);
  EXPECT_NE(format, nullptr) << name << " is in no known format";
  return format == nullptr ? model::Job{} : format->read(source);
}

inline model::Job read_dump(const std::string& name) {
  return read_as(std::filesystem::path(name).filename(), dump_named(name));
}

inline void expect_same_event(const model::Event& a, const model::Event& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.communicator, b.communicator);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.stack, b.stack);
  EXPECT_EQ(a.thread, b.thread);
  EXPECT_EQ(a.begin_ns, b.begin_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.position, b.position);
}

// All but the name of the source.
inline void expect_same_job(const model::Job& a, const model::Job& b) {
  EXPECT_EQ(a.framework, b.framework);
  EXPECT_EQ(a.backend, b.backend);
  EXPECT_EQ(a.world_size, b.world_size);
  EXPECT_EQ(a.communicators.values(), b.communicators.values());
  EXPECT_EQ(a.collectives.values(), b.collectives.values());
  EXPECT_EQ(a.stacks.values(), b.stacks.values());
  EXPECT_EQ(a.names.values(), b.names.values());
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    const model::RankHistory& left = a.ranks[rank];
    const model::RankHistory& right = b.ranks[rank];
    EXPECT_EQ(left.rank.number, right.rank.number);
    EXPECT_EQ(left.rank.recorder_version, right.rank.recorder_version);
    EXPECT_EQ(left.begins_at_start, right.begins_at_start);
    EXPECT_EQ(left.events_lost, right.events_lost);
    EXPECT_EQ(left.lists_communicators, right.lists_communicators);
    EXPECT_EQ(left.communicators, right.communicators);
    EXPECT_EQ(left.progress.size(), right.progress.size());
    ASSERT_EQ(left.events.size(), right.events.size());
    for (std::size_t event = 0; event < left.events.size(); ++event) {
      SCOPED_TRACE(event);
      expect_same_event(left.events[event], right.events[event]);
    }
  }
}

// "nccl_ras_json/stopped.json"
inline std::string seed(const std::string& name) {
  std::ifstream file(std::filesystem::path(LOCKSTEP_FUZZ_SEEDS) / name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline Source source_of(std::string_view bytes) {
  return {.name = "input", .path = "input", .bytes = bytes};
}

}  // namespace lockstep::readers::testing
