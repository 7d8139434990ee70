#include "sample_recording.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "record/dump.h"

namespace lockstep::tests {

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

lockstep_call numbered_call(std::uint32_t thread, std::uint64_t index, std::uint32_t name) {
  lockstep_call call{};
  call.time_ns = index * 1000 + thread;
  call.sequence = index;
  call.communicator = thread;
  call.operation = static_cast<std::uint8_t>(1 + index % 9);
  call.reduce_op = static_cast<std::uint8_t>(index % 5);
  call.data_type = 12;
  call.peer = static_cast<std::int32_t>(index % 7) - 1;
  call.name = name;
  call.payload_bytes = index * index;
  call.stream = ~index;
  return call;
}

namespace {

using recorder::Lane;
using recorder::Writer;

std::uint32_t intern(Writer& writer, const char* text) {
  return writer.intern_string(text, std::strlen(text));
}

std::uint32_t define_world(Writer& writer) {
  lockstep_communicator world{};
  world.name = intern(writer, "world");
  world.description = intern(writer, "default_pg");
  world.backend = intern(writer, "gloo");
  world.size = 4;
  world.rank_in_it = 1;
  world.run_count = 1;
  const lockstep_rank_run all{0, 1, 4};
  return writer.intern_communicator(world, &all);
}

std::uint32_t define_matrix(Writer& writer) {
  struct {
    lockstep_tensor tensor{12, 2, 0, 0};
    std::int64_t dimensions[2] = {64, 32};
  } matrix;
  lockstep_tensors tensors{};
  tensors.input_count = 1;
  return writer.intern_tensors(tensors, &matrix, sizeof matrix);
}

std::uint32_t define_stack(Writer& writer) {
  const lockstep_frame frames[] = {
      {intern(writer, "all_reduce"), intern(writer, "torch/distributed/distributed_c10d.py"), 2501, 0},
      {intern(writer, "train"), intern(writer, "train.py"), 42, 0},
  };
  lockstep_stack stack{};
  stack.frame_count = 2;
  return writer.intern_stack(stack, frames);
}

void write_one_of_each(Writer& writer, Lane& lane) {
  const std::uint32_t world = define_world(writer);
  lockstep_activity step{};
  step.time_ns = 1'000'000'000;
  step.number = 7;
  step.activity = 1;
  step.phase = LOCKSTEP_PHASE_BEGIN;
  lane.write(step);

  lockstep_call call{};
  call.time_ns = 1'000'001'000;
  call.sequence = 12;
  call.communicator = world;
  call.operation = 1;
  call.reduce_op = 1;
  call.data_type = 12;
  call.flags = LOCKSTEP_CALL_ASYNC;
  call.peer = -1;
  call.name = intern(writer, "bucket 0");
  call.payload_bytes = 8192;
  call.tensors = define_matrix(writer);
  call.stack = define_stack(writer);
  lane.write(call);

  lockstep_checksum checksum{};
  checksum.sequence = 12;
  checksum.communicator = world;
  checksum.operation = 1;
  checksum.has_input = 1;
  checksum.has_output = 1;
  checksum.peer = -1;
  checksum.input = 0x1122334455667788;
  checksum.output = 0x99AABBCCDDEEFF00;
  lane.write(checksum);

  lockstep_blob blob{};
  blob.sequence = 12;
  blob.communicator = world;
  blob.operation = 1;
  blob.role = LOCKSTEP_BLOB_OUTPUT;
  blob.peer = -1;
  blob.bytes = 8192;
  for (int i = 0; i < 16; ++i) blob.hash[i] = static_cast<std::uint8_t>(0x10 + i);
  lane.write(blob);

  lockstep_done done{};
  done.time_ns = 1'000'009'000;
  done.sequence = 12;
  done.communicator = world;
  done.operation = 1;
  done.status = LOCKSTEP_DONE_FAILED;
  done.peer = -1;
  done.error = intern(writer, "Connection closed by peer \x1b[31m[127.0.0.1]:1234");
  lane.write(done);

  lockstep_clock clock{};
  clock.monotonic_ns = 1'000'010'000;
  clock.wall_ns = 1'700'000'000'000'000'000;
  lane.write(clock);

  writer.write_attribute(intern(writer, "torch"), intern(writer, "2.13.0"));
}

}  // namespace

void write_sample(const std::filesystem::path& path) {
  Writer writer;
  recorder::WriterOptions options;
  const std::string path_text = path.string();
  options.path = path_text.c_str();
  options.job = "sample";
  options.host = "node-a";
  options.writer = "lockstep 0.1.0";
  options.rank = 1;
  options.local_rank = 1;
  options.world_size = 4;
  options.restart = 2;
  options.chunk_bytes = 4096;
  options.header_bytes = 4096;
  options.max_bytes = std::size_t{1} << 20;
  if (const int error = writer.open(options); error != 0) {
    std::perror(std::strerror(error));
    std::abort();
  }
  Lane first;
  Lane second;
  writer.open_lane(first, 101);
  writer.open_lane(second, 102);
  write_one_of_each(writer, first);
  for (std::uint64_t i = 0; i < 150; ++i) {
    const std::string name = "tensor " + std::to_string(i);
    const std::uint32_t id = writer.intern_string(name.data(), name.size());
    first.write(numbered_call(101, i, id));
    if (i % 3 == 0) second.write(numbered_call(102, i / 3, id));
  }
  writer.close_lane(second);
  Lane third;
  writer.open_lane(third, 103);  // takes over what the second left
  third.write(numbered_call(103, 0, 0));
  writer.close_lane(third);
  writer.close_lane(first);
  writer.close(0);
}

Result<Contents> read_all(const std::filesystem::path& path) {
  record::Reader reader = TRY(record::Reader::open(path));
  Contents contents;
  while (const record::RecordView* view = reader.next()) {
    contents.records.push_back(
        {view->offset, view->type, std::string(reinterpret_cast<const char*>(view->data), view->length)});
  }
  contents.stats = reader.stats();
  return contents;
}

std::string dump_as_json_lines(const std::filesystem::path& path) {
  std::string dumped;
  const record::DumpOptions options{.layout = record::DumpLayout::kJsonLines, .types = {}, .limit = 0};
  const auto stats = record::dump_file(path, options, [&dumped](std::string_view line) {
    dumped += line;
    return Result<void>();
  });
  return stats.ok() ? dumped : "";
}

}  // namespace lockstep::tests
