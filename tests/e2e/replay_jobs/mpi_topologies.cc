// Grids, graphs, collectives among neighbours, and messages that are found before they are received; every
// rank prints a sum of all it got. ONE_SIDED=1 makes a window first.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

#include "rank_sum.h"

namespace {

constexpr int kSteps = 3;
constexpr int kWidth = 5;

struct Job : RankSum {
  using RankSum::add;
  template <typename Number>
  void add(const std::vector<Number>& numbers) {
    add(numbers.data(), numbers.size() * sizeof(Number));
  }
  void add(int number) { add(&number, sizeof number); }
};

std::vector<double> own(const Job& job, int count, int step) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = 1.0 / (1.0 + static_cast<double>(i) + 7.0 * job.rank + 31.0 * step);
  }
  return numbers;
}

// Two rows, closed to a ring in the other direction only; ranks may be given other numbers.
MPI_Comm make_grid(Job& job) {
  const std::array<int, 2> sizes{2, job.world / 2};
  const std::array<int, 2> rings{0, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), rings.data(), 1, &grid);
  return grid;
}

void ask_grid(Job& job, MPI_Comm grid) {
  int kind = 0;
  int dimensions = 0;
  int rank = 0;
  std::array<int, 2> sizes{};
  std::array<int, 2> rings{};
  std::array<int, 2> place{};
  MPI_Topo_test(grid, &kind);
  MPI_Cartdim_get(grid, &dimensions);
  MPI_Cart_get(grid, 2, sizes.data(), rings.data(), place.data());
  MPI_Cart_rank(grid, place.data(), &rank);
  for (const int number :
       {kind, dimensions, rank, sizes[0], sizes[1], rings[0], rings[1], place[0], place[1]}) {
    job.add(number);
  }
  for (int dimension = 0; dimension < 2; ++dimension) {
    int source = 0;
    int destination = 0;
    MPI_Cart_shift(grid, dimension, 1, &source, &destination);
    job.add(source);
    job.add(destination);
  }
  MPI_Cart_coords(grid, 0, 2, place.data());
  job.add(place[1]);
}

// Blocks for nobody are left as they come.
void on_grid(Job& job, MPI_Comm grid, int step) {
  int up = 0;
  int down = 0;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  auto* given = static_cast<double*>(std::malloc(4 * kWidth * sizeof(double)));
  for (int block = 0; block < 4; ++block) {
    if ((block == 0 && up == MPI_PROC_NULL) || (block == 1 && down == MPI_PROC_NULL)) continue;
    for (int i = 0; i < kWidth; ++i) given[block * kWidth + i] = 0.5 * block + i + job.rank + step;
  }
  std::vector<double> got(4 * kWidth);
  MPI_Neighbor_alltoall(given, kWidth, MPI_DOUBLE, got.data(), kWidth, MPI_DOUBLE, grid);
  job.add(got);
  std::free(given);
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<double> mine = own(job, kWidth, step);
  MPI_Ineighbor_allgather(mine.data(), kWidth, MPI_DOUBLE, got.data(), kWidth, MPI_DOUBLE, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  job.add(got);
  const std::array<int, 2> keeps{0, 1};
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Cart_sub(grid, keeps.data(), &row);
  MPI_Comm_dup(row, &copy);
  std::array<double, 2> ends{};
  MPI_Neighbor_allgather(mine.data(), 1, MPI_DOUBLE, ends.data(), 1, MPI_DOUBLE, copy);
  job.add(ends.data(), sizeof ends);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&row);
}

// Each rank gives to the next, weighted by its number, and the first to all.
void on_adjacent_graph(Job& job, int step) {
  const int next = (job.rank + 1) % job.world;
  const int before = (job.rank + job.world - 1) % job.world;
  const int weight = job.rank + 1;
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &next, &weight, MPI_INFO_NULL, 0,
                                 &graph);
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  int source = 0;
  int source_weight = 0;
  int destination = 0;
  MPI_Dist_graph_neighbors_count(graph, &sources, &destinations, &weighted);
  MPI_Dist_graph_neighbors(graph, 1, &source, &source_weight, 1, &destination, MPI_UNWEIGHTED);
  for (const int number : {sources, destinations, weighted, source, source_weight, destination})
    job.add(number);
  const std::vector<double> mine = own(job, kWidth, step);
  std::vector<double> got(kWidth);
  const int count = kWidth;
  const int offset = 0;
  MPI_Neighbor_alltoallv(mine.data(), &count, &offset, MPI_DOUBLE, got.data(), &count, &offset, MPI_DOUBLE,
                         graph);
  job.add(got);
  const MPI_Aint far = 0;
  const MPI_Datatype type = MPI_DOUBLE;
  MPI_Neighbor_alltoallw(got.data(), &count, &far, &type, const_cast<double*>(mine.data()), &count, &far,
                         &type, graph);
  job.add(mine);
  MPI_Neighbor_allgatherv(mine.data(), kWidth, MPI_DOUBLE, got.data(), &count, &offset, MPI_DOUBLE, graph);
  job.add(got);
  MPI_Comm_free(&graph);
}

// A star.
void on_graph(Job& job, int step) {
  std::vector<int> ends{job.world - 1};
  std::vector<int> edges;
  for (int rank = 1; rank < job.world; ++rank) edges.push_back(rank);
  for (int rank = 1; rank < job.world; ++rank) {
    edges.push_back(0);
    ends.push_back(ends.back() + 1);
  }
  MPI_Comm star = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, job.world, ends.data(), edges.data(), 0, &star);
  int count = 0;
  MPI_Graph_neighbors_count(star, job.rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  MPI_Graph_neighbors(star, job.rank, count, neighbours.data());
  job.add(neighbours);
  const std::vector<double> mine = own(job, 1, step);
  std::vector<double> got(static_cast<std::size_t>(count));
  MPI_Neighbor_allgather(mine.data(), 1, MPI_DOUBLE, got.data(), 1, MPI_DOUBLE, star);
  job.add(got);
  MPI_Comm_free(&star);
}

// Rank 0 receives what it found, in the order in which it came, and of a length it did not know.
void found_first(Job& job, int step) {
  if (job.rank != 0) {
    const std::vector<double> mine = own(job, job.rank + 1, step);
    MPI_Send(mine.data(), job.rank + 1, MPI_DOUBLE, 0, 3 + job.rank % 2, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < job.world; ++i) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int is_there = 0;
    while (i % 2 == 0 && is_there == 0) {
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &message, &status);
    }
    if (i % 2 == 1) MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    std::vector<double> got(static_cast<std::size_t>(count));
    if (i % 2 == 1) {
      MPI_Mrecv(got.data(), count, MPI_DOUBLE, &message, &status);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Imrecv(got.data(), count, MPI_DOUBLE, &message, &request);
      MPI_Wait(&request, &status);
    }
    job.add(status.MPI_SOURCE);
    job.add(message == MPI_MESSAGE_NULL ? 1 : 0);
    job.add(got);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.world);
  if (std::getenv("ONE_SIDED") != nullptr) {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&job, sizeof job, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
  }
  MPI_Comm grid = make_grid(job);
  ask_grid(job, grid);
  for (int step = 1; step <= kSteps; ++step) {
    on_grid(job, grid, step);
    on_adjacent_graph(job, step);
    on_graph(job, step);
    found_first(job, step);
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("rank=%d step=%d sum=%016llx\n", job.rank, step, static_cast<unsigned long long>(job.sum));
    std::fflush(stdout);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
