// Data-parallel training of a linear model in plain MPI: gradients by MPI_Allreduce, a token around a ring
// each step.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <random>
#include <unistd.h>

#include "sha256.h"

namespace {

constexpr int kWidth = 16;
constexpr int kRows = 32;
constexpr int kRingTag = 7;
using Weights = std::array<double, kWidth>;

struct Job {
  int rank = 0;
  int world = 1;
};

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Uniform in [-1, 1). The standard's distributions differ between libraries; the engine does not.
double draw(std::mt19937& engine) {
  return static_cast<double>(engine()) / 2147483648.0 - 1.0;
}

// One batch whose targets are the sums of its inputs; returns the loss and fills its gradient.
double batch_loss(std::mt19937& engine, const Weights& weights, Weights& gradient) {
  gradient.fill(0.0);
  double loss = 0.0;
  for (int row = 0; row < kRows; ++row) {
    Weights inputs;
    double error = 0.0;
    for (int i = 0; i < kWidth; ++i) {
      inputs[i] = draw(engine);
      error += inputs[i] * (weights[i] - 1.0);
    }
    loss += error * error / kRows;
    for (int i = 0; i < kWidth; ++i) gradient[i] += 2.0 * error * inputs[i] / kRows;
  }
  return loss;
}

void average_over_ranks(const Job& job, Weights& gradient) {
  MPI_Allreduce(MPI_IN_PLACE, gradient.data(), kWidth, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (double& value : gradient) value /= job.world;
}

// Passes a token through all ranks, each adding one; it must come home with their number.
void pass_token_around(const Job& job) {
  const int next = (job.rank + 1) % job.world;
  const int previous = (job.rank + job.world - 1) % job.world;
  int token = 0;
  if (job.rank != 0) MPI_Recv(&token, 1, MPI_INT, previous, kRingTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++token;
  MPI_Send(&token, 1, MPI_INT, next, kRingTag, MPI_COMM_WORLD);
  if (job.rank == 0) {
    MPI_Recv(&token, 1, MPI_INT, previous, kRingTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (token != job.world) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void train(const Job& job) {
  const int seed = setting("LAB_SEED", 1);
  std::mt19937 model_engine(seed);
  std::mt19937 data_engine(seed * 1000 + job.rank);
  Weights weights;
  for (double& weight : weights) weight = draw(model_engine);

  const int steps = setting("LAB_STEPS", 8);
  for (int step = 0; step < steps; ++step) {
    Weights gradient;
    const double loss = batch_loss(data_engine, weights, gradient);
    average_over_ranks(job, gradient);
    for (int i = 0; i < kWidth; ++i) weights[i] -= 0.3 * gradient[i];
    pass_token_around(job);
    std::printf("lab rank=%d step=%d loss=%.9g\n", job.rank, step, loss);
    std::fflush(stdout);
  }
  std::printf("lab rank=%d done params=%s\n", job.rank,
              sha256_hex(weights.data(), sizeof weights).substr(0, 16).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.world);
  std::printf("lab rank=%d ready pid=%d world=%d\n", job.rank, static_cast<int>(getpid()), job.world);
  std::fflush(stdout);
  train(job);
  MPI_Finalize();
  return 0;
}
