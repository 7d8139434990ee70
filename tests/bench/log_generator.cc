// Writes what training jobs print, as much of it as wanted, the same bytes for the same arguments:
//     log_generator FILE MEGABYTES RANKS GUILTY      one log of all ranks, attempt after attempt, each under
//                                                    the prefixes of another launcher
//     log_generator FOLDER/ MEGABYTES RANKS GUILTY   a folder with one log for each rank
// The last attempt ends with the guilty rank out of memory and with the complaints of those that waited for
// it. Everything before is what healthy jobs print too: progress bars, metrics, NCCL's talk, warnings, colour
// codes, bytes that are no UTF-8.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace {

constexpr std::size_t kAttemptBytes = std::size_t{128} << 20;
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

enum class Prefix { kNone, kTorchrun, kMpirun, kSrun, kTee, kCount };

class Log {
 public:
  Log(const std::filesystem::path& path, std::uint64_t seed)
      : file_(std::fopen(path.c_str(), "wb")), random_(seed) {
    if (file_ == nullptr) std::exit(2);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() {
    flush();
    if (std::fclose(file_) != 0) std::exit(2);
  }

  std::size_t size() const { return flushed_ + text_.size(); }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  double share() { return static_cast<double>(random_()) / static_cast<double>(random_.max()); }

  void begin_line(Prefix prefix, std::uint32_t rank) {
    if (text_.size() > kFlushBytes) flush();
    if (prefix == Prefix::kTorchrun) add("[rank{}]: ", rank);
    if (prefix == Prefix::kMpirun) add("[1,{}]<stdout>:", rank);
    if (prefix == Prefix::kSrun) add("{:2}: ", rank);
    if (prefix == Prefix::kTee) add("[default{}]:", rank % 8);
  }

  template <typename... Values>
  void add(fmt::format_string<Values...> format, const Values&... values) {
    fmt::vformat_to(std::back_inserter(text_), fmt::string_view(format), fmt::make_format_args(values...));
  }

 private:
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) std::exit(2);
    flushed_ += text_.size();
    text_.clear();
  }

  std::FILE* file_;
  std::mt19937 random_;
  fmt::memory_buffer text_;
  std::size_t flushed_ = 0;
};

struct Moment {
  std::uint64_t step = 0;
  std::uint64_t milliseconds = 0;
};

void add_clock(Log& log, const Moment& now, std::string_view date, std::string_view fraction_mark) {
  const std::uint64_t seconds = now.milliseconds / 1000;
  log.add("{}{:02}:{:02}:{:02}{}{:03}", date, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
          fraction_mark, now.milliseconds % 1000);
}

void write_start(Log& log, Prefix prefix, std::uint32_t rank, std::uint32_t ranks) {
  const auto line = [&]<typename... Values>(fmt::format_string<Values...> format, const Values&... values) {
    log.begin_line(prefix, rank);
    log.add<Values...>(format, values...);
    log.add("\n");
  };
  line("| distributed init (rank {}): env://", rank);
  line("node{}:{}:{} [{}] NCCL INFO Bootstrap : Using eth0:10.0.{}.{}<0>", rank / 8, 4000 + rank, 4000 + rank,
       rank % 8, rank / 8, rank % 8);
  line("node{}:{}:{} [{}] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>", rank / 8,
       4000 + rank, 4410 + rank, rank % 8);
  line(
      "node{}:{}:{} [{}] NCCL INFO comm 0x55d0c8{:06x} rank {} nranks {} cudaDev {} busId {}000 commId "
      "0x1f2e3d4c5b6a7988 - Init "
      "COMPLETE",
      rank / 8, 4000 + rank, 4410 + rank, rank % 8, rank * 4096, rank, ranks, rank % 8, rank % 8 + 1);
  line(
      "/opt/conda/lib/python3.10/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This "
      "DataLoader "
      "will create 16 worker processes in total. Our suggested max number of worker in current system is "
      "12.");
  line("  warnings.warn(_create_warning_msg(");
}

void write_bar(Log& log, Prefix prefix, std::uint32_t rank, const Moment& now) {
  constexpr std::uint64_t kSteps = 5004;
  const std::uint64_t step = now.step % kSteps;
  const std::uint64_t filled = step * 20 / kSteps;
  log.begin_line(prefix, rank);
  log.add(
      "\rEpoch {}: {:3}%|{:█<{}}{: <{}}| {}/{} [{:02}:{:02}<{:02}:{:02}, {:.2f}it/s, loss={:.3f}, v_num=0]",
      now.step / kSteps, step * 100 / kSteps, "", filled, "", 20 - filled, step, kSteps,
      now.milliseconds / 60000 % 60, now.milliseconds / 1000 % 60, 13, now.step % 60, 2.9 + 0.2 * log.share(),
      1.5 + log.share());
  if (step % 50 == 0) log.add("\n");
}

void write_training_line(Log& log, Prefix prefix, std::uint32_t rank, const Moment& now) {
  log.begin_line(prefix, rank);
  switch (log.pick(12)) {
    case 0:
    case 1:
    case 2:
      log.add(
          " iteration {:8}/ 500000 | consumed samples: {:12} | elapsed time per iteration (ms): {:.1f} | "
          "learning rate: {:.3E} | global batch size: {:5} | lm loss: {:.6E} | loss scale: 1.0 | grad norm: "
          "{:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
          now.step, now.step * 1024, 800 + 40 * log.share(), 1.5e-4 * log.share(), 1024,
          1.9 + 0.1 * log.share(), log.share());
      break;
    case 3:
    case 4:
      add_clock(log, now, "2026-03-02 ", ",");
      log.add(
          " | INFO | train_inner | {{\"epoch\": {}, \"update\": {:.3f}, \"loss\": \"{:.3f}\", \"ppl\": "
          "\"{:.2f}\", "
          "\"wps\": \"{:.1f}\", \"ups\": \"{:.2f}\", \"num_updates\": \"{}\", \"lr\": \"{:.6f}\", \"gnorm\": "
          "\"{:.3f}\"}}",
          now.step / 5004, static_cast<double>(now.step) / 5004, 3 + log.share(), 8 + log.share(),
          60000 * log.share(), 2 + log.share(), now.step, 1e-4 * log.share(), log.share());
      break;
    case 5:
      add_clock(log, now, "[2026-03-02 ", ",");
      log.add(
          "] [INFO] [logging.py:96:log_dist] [Rank {}] step={}, skipped=0, lr=[{:.8f}], mom=[(0.9, 0.95)]",
          rank, now.step, 1e-5 * log.share());
      break;
    case 6:
      add_clock(log, now, "\x1b[32mINFO\x1b[0m 03-02 ", ".");
      log.add(
          " trainer.py:{}] step {} \x1b[1mloss\x1b[0m {:.4f} grad_norm {:.3f} tokens/s {:.0f} mfu {:.1f}%",
          200 + log.pick(90), now.step, 2 + log.share(), log.share(), 12000 * log.share(), 40 + log.share());
      break;
    case 7:
      log.add("{{'loss': {:.4f}, 'grad_norm': {:.3f}, 'learning_rate': {:.6e}, 'epoch': {:.2f}}}",
              2 + log.share(), log.share(), 1e-5 * log.share(), static_cast<double>(now.step) / 5004);
      break;
    case 8:
      log.add("{}/5004 [{:=<{}}>{:.<{}}] - ETA: {}:{:02} - loss: {:.4f} - accuracy: {:.4f}", now.step % 5004,
              "", now.step % 5004 * 29 / 5004, "", 29 - now.step % 5004 * 29 / 5004, 13, now.step % 60,
              0.6 + log.share(), log.share());
      break;
    case 9:
      log.add(
          "Train: {} [{:4}/5004 ({:3}%)]  Loss: {:.3f} ({:.2f})  Time: {:.3f}s, {:7.2f}/s  LR: {:.3e}  Data: "
          "{:.3f} ({:.3f})",
          now.step / 5004, now.step % 5004, now.step % 5004 * 100 / 5004, 3 + log.share(), 3 + log.share(),
          0.3 + log.share(), 900 + log.share(), 1e-4 * log.share(), log.share(), log.share());
      break;
    case 10:
      log.add(
          "[gpu{}] memory allocated {:.2f} GB, reserved {:.2f} GB, max {:.2f} GB | file caf\xe9_{:05}.tar",
          rank % 8, 30 + log.share(), 60 + log.share(), 70 + log.share(), log.pick(90000));
      break;
    default:
      add_clock(log, now, "I0302 ", ".");
      log.add(" {} checkpoint.cc:{}] shard {} of {} kept, next validation at {}", 140000 + rank,
              80 + log.pick(40), log.pick(64), 64, now.step + 1000);
  }
  log.add("\n");
}

// What a job prints now and then that sounds like trouble and is none.
void write_warning(Log& log, Prefix prefix, std::uint32_t rank, const Moment& now) {
  log.begin_line(prefix, rank);
  switch (log.pick(5)) {
    case 0:
      log.add(
          "/opt/conda/lib/python3.10/site-packages/torch/optim/lr_scheduler.py:143: UserWarning: Detected "
          "call of "
          "`lr_scheduler.step()` before `optimizer.step()`.");
      break;
    case 1:
      add_clock(log, now, "[W302 ", ".");
      log.add(
          " reducer.cpp:1300] Warning: find_unused_parameters=True was specified in DDP constructor, but did "
          "not "
          "find any unused parameters in the forward pass. (function operator())");
      break;
    case 2:
      log.add("[INFO] retrying GET s3://data/shard-{:06}.tar after 0.5 s (attempt 1 of 8)", log.pick(100000));
      break;
    case 3:
      add_clock(log, now, "2026-03-02 ", ".");
      log.add(
          ": W tensorflow/core/framework/dataset.cc:769] Input of GeneratorDatasetOp::Dataset will not be "
          "optimized because the dataset does not implement the AsGraphDefInternal() method needed.");
      break;
    default:
      log.add("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 65536.0");
  }
  log.add("\n");
}

void write_training(Log& log, Prefix prefix, std::uint32_t rank, Moment& now) {
  constexpr std::uint32_t kLinesPerWarning = 400;
  now.step += log.pick(8) == 0 ? 1 : 0;
  now.milliseconds += log.pick(90);
  const std::uint32_t kind = log.pick(kLinesPerWarning);
  if (kind == 0) return write_warning(log, prefix, rank, now);
  if (kind % 4 == 1) return write_bar(log, prefix, rank, now);
  write_training_line(log, prefix, rank, now);
}

void write_end(Log& log, Prefix prefix, std::uint32_t rank, std::uint32_t guilty) {
  log.add("\n");
  log.begin_line(prefix, rank);
  if (rank == guilty) {
    log.add("Traceback (most recent call last):\n");
    log.begin_line(prefix, rank);
    log.add("  File \"/workspace/train.py\", line 214, in main\n");
    log.begin_line(prefix, rank);
    log.add(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU {}; 79.15 GiB "
        "total "
        "capacity; 76.30 GiB already allocated; 1.21 GiB free; 77.02 GiB reserved in total by PyTorch)\n",
        rank % 8);
  } else {
    log.add(
        "[E ProcessGroupNCCL.cpp:475] [Rank {}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=53412, OpType=ALLREDUCE, NumelIn=25600, NumelOut=25600, Timeout(ms)=600000) ran for "
        "600410 milliseconds before timing out.\n",
        rank);
  }
}

void write_shared_log(const std::filesystem::path& path, std::size_t bytes, std::uint32_t ranks,
                      std::uint32_t guilty) {
  Log log(path, 1);
  Moment now;
  const std::size_t attempts = std::max<std::size_t>(1, bytes / kAttemptBytes);
  Prefix prefix = Prefix::kTorchrun;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    // The last one is torchrun's, whose prefix tells the rank.
    prefix = static_cast<Prefix>((attempts - 1 - attempt + 1) % static_cast<std::size_t>(Prefix::kCount));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) write_start(log, prefix, rank, ranks);
    const std::size_t end = bytes / attempts * (attempt + 1);
    while (log.size() < end) write_training(log, prefix, log.pick(ranks), now);
    log.add("\n");
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) write_end(log, prefix, rank, guilty);
}

void write_logs_of_ranks(const std::filesystem::path& folder, std::size_t bytes, std::uint32_t ranks,
                         std::uint32_t guilty) {
  std::filesystem::create_directories(folder);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Log log(folder / fmt::format("rank_{}.log", rank), rank + 1);
    Moment now;
    write_start(log, Prefix::kNone, rank, ranks);
    while (log.size() < bytes / ranks) write_training(log, Prefix::kNone, rank, now);
    write_end(log, Prefix::kNone, rank, guilty);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: log_generator FILE|FOLDER/ MEGABYTES RANKS GUILTY\n");
    return 2;
  }
  const std::string_view path = argv[1];
  const std::size_t bytes = std::strtoull(argv[2], nullptr, 10) * 1'000'000;
  const auto ranks = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const auto guilty = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));
  if (ranks == 0 || guilty >= ranks) return 2;
  if (path.ends_with('/')) {
    write_logs_of_ranks(path, bytes, ranks, guilty);
  } else {
    write_shared_log(path, bytes, ranks, guilty);
  }
  return 0;
}
