// A job with a race, for replays: about once in fifty runs it diverges. Rank 1 sends rank 0 the scale of this
// step, the others their gradients; rank 0 takes messages as they come and believes that the scale is always
// first. It nearly is: everybody else has more to compute. How long that takes is left to the machine, here
// to its entropy.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mpi.h>
#include <sys/random.h>
#include <unistd.h>

namespace {

constexpr int kScaleTag = 1;
constexpr int kGradientTag = 2;
constexpr double kSpreadMs = 10.0;
constexpr double kHeadStartMs = 8.0;  // of the scale: (10 - 8)^2 / (2 * 10^2) is one in fifty

double drawn_ms() {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return 0.0;
  return kSpreadMs * number / 4294967296.0;
}

void compute(double milliseconds) {
  const double end = MPI_Wtime() + milliseconds / 1e3;
  while (MPI_Wtime() < end) ::usleep(100);
}

void work(int rank) {
  compute(rank == 1 ? drawn_ms() : kHeadStartMs + drawn_ms());
  const double value = rank == 1 ? 4.0 : 0.5 * rank;
  MPI_Send(&value, 1, MPI_DOUBLE, 0, rank == 1 ? kScaleTag : kGradientTag, MPI_COMM_WORLD);
}

double collect(int world) {
  double scale = 0.0;
  double loss = 0.0;
  for (int i = 1; i < world; ++i) {
    double value = 0.0;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kScaleTag) {
      scale = value;
    } else {
      loss += value / scale;
    }
    std::printf("lab rank=0 message=%d source=%d\n", i, status.MPI_SOURCE);
  }
  return loss;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int world = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const double loss = collect(world);
    std::printf("lab rank=0 loss=%.9g\n", loss);
    std::fflush(stdout);
    if (!std::isfinite(loss)) MPI_Abort(MPI_COMM_WORLD, 3);
  } else {
    work(rank);
  }
  MPI_Finalize();
  return 0;
}
