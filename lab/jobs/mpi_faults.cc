// Training steps in plain MPI over three communicators; LAB_FAULT makes one rank do one thing differently in
// one step, as in torch_faults.py. Without a fault it is a healthy job that uses most of MPI: blocking and
// non-blocking collectives, persistent requests, messages from anyone, communicators that come and go.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "sha256.h"

namespace {

constexpr int kWidth = 1024;
constexpr int kRingTag = 7;
constexpr int kReportTag = 8;
using Weights = std::vector<double>;

struct Job {
  int rank = 0;
  int world = 1;
  MPI_Comm loss = MPI_COMM_NULL;  // all ranks
  MPI_Comm norm = MPI_COMM_NULL;  // all ranks
  MPI_Comm half = MPI_COMM_NULL;  // the even or the odd ranks
};

struct Fault {
  char what[16] = "";
  int rank = -1;
  int step = -1;
};

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// "root:2@4": rank 2 in step 4.
Fault fault_from_environment() {
  Fault fault;
  const char* text = std::getenv("LAB_FAULT");
  if (text != nullptr) std::sscanf(text, "%15[a-z]:%d@%d", fault.what, &fault.rank, &fault.step);
  return fault;
}

[[noreturn]] void data_never_comes() {
  for (;;) ::sleep(1);
}

double reduce_loss(const Job& job, double loss) {
  double total = 0.0;
  MPI_Allreduce(&loss, &total, 1, MPI_DOUBLE, MPI_SUM, job.loss);
  return total / job.world;
}

double reduce_norm(const Job& job, double norm) {
  double largest = 0.0;
  MPI_Allreduce(&norm, &largest, 1, MPI_DOUBLE, MPI_MAX, job.norm);
  return largest;
}

// A derived type on even ranks, plain numbers on odd ones: the same bytes, and no fault.
void share_weights(const Job& job, Weights& weights, int root) {
  if (job.rank % 2 != 0) {
    MPI_Bcast(weights.data(), kWidth, MPI_DOUBLE, root, MPI_COMM_WORLD);
    return;
  }
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kWidth / 4, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  MPI_Bcast(weights.data(), 4, row, root, MPI_COMM_WORLD);
  MPI_Type_free(&row);
}

void average(const Job& job, Weights& gradient, bool is_longer) {
  Weights sum(gradient.size());
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = is_longer ? kWidth / 2 : kWidth;
  MPI_Iallreduce(gradient.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < kWidth; ++i) gradient[i] = sum[i] / job.world;
}

// A ring with requests that are made once and started in every step.
class Ring {
 public:
  explicit Ring(const Job& job) {
    const int next = (job.rank + 1) % job.world;
    const int previous = (job.rank + job.world - 1) % job.world;
    MPI_Send_init(&sent_, 1, MPI_DOUBLE, next, kRingTag, MPI_COMM_WORLD, requests_.data());
    // Room for more than will come, as is usual.
    MPI_Recv_init(received_.data(), 2, MPI_DOUBLE, previous, kRingTag, MPI_COMM_WORLD, requests_.data() + 1);
  }
  ~Ring() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  double pass(double value) {
    sent_ = value;
    MPI_Startall(2, requests_.data());
    MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
    return received_[0];
  }

 private:
  double sent_ = 0.0;
  std::array<double, 2> received_{};
  std::array<MPI_Request, 2> requests_{};
};

// Every rank reports to rank 0, which takes the reports as they come in every other step.
void report_to_first(const Job& job, int step, bool is_silent) {
  if (job.rank != 0) {
    if (!is_silent) MPI_Send(&step, 1, MPI_INT, 0, kReportTag + step % 3, job.norm);
    return;
  }
  std::vector<int> steps(job.world);
  std::vector<MPI_Request> requests(job.world, MPI_REQUEST_NULL);
  for (int i = 1; i < job.world; ++i) {
    if (step % 2 == 0) {
      MPI_Irecv(&steps[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, job.norm, &requests[i]);
    } else {
      MPI_Irecv(&steps[i], 1, MPI_INT, i, kReportTag + step % 3, job.norm, &requests[i]);
    }
  }
  for (int left = job.world - 1; left > 0;) {
    std::vector<int> indices(job.world);
    int finished = 0;
    MPI_Waitsome(job.world, requests.data(), &finished, indices.data(), MPI_STATUSES_IGNORE);
    left -= finished;
  }
}

double train_step(const Job& job, Ring& ring, Weights& weights, int step, std::string_view fault) {
  if (fault == "missing") data_never_comes();
  if (fault == "exit") std::exit(9);
  if (fault == "abort") MPI_Abort(MPI_COMM_WORLD, 11);
  share_weights(job, weights, fault == "root" ? 1 : 0);
  Weights gradient(kWidth);
  for (int i = 0; i < kWidth; ++i) gradient[i] = weights[i] * 0.25 + job.rank;
  if (fault != "skip") average(job, gradient, fault == "shape");
  double loss = 0.0;
  for (int i = 0; i < kWidth; ++i) loss += gradient[i] * gradient[i] / kWidth;
  double total = 0.0;
  double largest = 0.0;
  if (fault == "order") {
    largest = reduce_norm(job, weights[0]);
    total = reduce_loss(job, loss);
  } else {
    total = reduce_loss(job, loss);
    largest = reduce_norm(job, weights[0]);
  }
  MPI_Comm scratch = MPI_COMM_NULL;
  MPI_Comm_dup(job.half, &scratch);
  MPI_Barrier(scratch);
  MPI_Comm_free(&scratch);
  report_to_first(job, step, fault == "message");
  const double neighbour = ring.pass(loss);
  for (int i = 0; i < kWidth; ++i) weights[i] -= 0.1 * gradient[i] + 1e-9 * (neighbour + largest);
  return total;
}

void train(const Job& job) {
  const Fault fault = fault_from_environment();
  Weights weights(kWidth);
  for (int i = 0; i < kWidth; ++i) weights[i] = job.rank == 0 ? 1.0 / (i + setting("LAB_SEED", 1)) : 0.0;
  Ring ring(job);
  // A message that never comes, and nobody waits for: no fault.
  int never = 0;
  MPI_Request open_request = MPI_REQUEST_NULL;
  MPI_Irecv(&never, 1, MPI_INT, (job.rank + 1) % job.world, kReportTag + 99, job.loss, &open_request);
  const int steps = setting("LAB_STEPS", 8);
  for (int step = 0; step < steps; ++step) {
    const bool is_here = job.rank == fault.rank && step == fault.step;
    const double loss = train_step(job, ring, weights, step, is_here ? fault.what : "");
    std::printf("lab rank=%d step=%d loss=%.9g\n", job.rank, step, loss);
    std::fflush(stdout);
  }
  if (job.rank % 2 == 0) MPI_Cancel(&open_request);
  if (job.rank % 2 == 0) MPI_Wait(&open_request, MPI_STATUS_IGNORE);
  std::printf("lab rank=%d done params=%s\n", job.rank,
              sha256_hex(weights.data(), weights.size() * sizeof(double)).substr(0, 16).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.world);
  MPI_Comm_dup(MPI_COMM_WORLD, &job.loss);
  MPI_Comm_dup(MPI_COMM_WORLD, &job.norm);
  MPI_Comm_split(MPI_COMM_WORLD, job.rank % 2, job.rank, &job.half);
  std::printf("lab rank=%d ready pid=%d world=%d\n", job.rank, static_cast<int>(getpid()), job.world);
  std::fflush(stdout);
  train(job);
  MPI_Finalize();
  return 0;
}
