#include "kept.h"

#include "handles.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// The pieces of an image behind those that come first.
class Pieces {
 public:
  Pieces(Image& image, const lockstep_piece* first, int first_count)
      : count_(image.count() + first_count), pieces_(count_) {
    for (int i = 0; pieces_.data() != nullptr && i < count_; ++i) {
      pieces_.data()[i] = i < first_count ? first[i] : image.piece(i - first_count);
    }
  }
  const lockstep_piece* data() { return pieces_.data(); }
  std::size_t count() const { return static_cast<std::size_t>(count_); }

 private:
  int count_;
  LocalArray<lockstep_piece> pieces_;
};

void keep_output(const lockstep_ticket& ticket, const Region& got, const lockstep_piece* first,
                 int first_count, std::int32_t source) {
  Image image(got, Image::Use::kRead);
  Pieces pieces(image, first, first_count);
  lockstep_keep_output(&ticket, image.is_whole() ? pieces.data() : nullptr, pieces.count(), source);
}

void serve(const lockstep_ticket& ticket, const Region& got, const lockstep_piece* first, int first_count) {
  Image image(got, Image::Use::kFill);
  Pieces pieces(image, first, first_count);
  LocalArray<lockstep_room> rooms(static_cast<int>(pieces.count()));
  if (!image.is_whole() || pieces.data() == nullptr || rooms.data() == nullptr) {
    leave_replay(ticket, LOCKSTEP_SERVE_NOT_KEPT);
  }
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    rooms.data()[i] = {const_cast<void*>(pieces.data()[i].data), pieces.data()[i].bytes};
  }
  serve_rooms(ticket, rooms.data(), pieces.count());
  image.hand_over();
}

}  // namespace

void keep_given(const lockstep_ticket& ticket, const Region& given) {
  if (!keeps_payload() || ticket.communicator == 0) return;
  Image image(given, Image::Use::kRead);
  Pieces pieces(image, nullptr, 0);
  lockstep_keep_input(&ticket, image.is_whole() ? pieces.data() : nullptr, pieces.count());
}

void keep_got(const lockstep_ticket& ticket, const Region& got) {
  if (keeps_payload() && ticket.communicator != 0) keep_output(ticket, got, nullptr, 0, -1);
}

void keep_pieces(const lockstep_ticket& ticket, const lockstep_piece* pieces, std::size_t count) {
  if (keeps_payload()) lockstep_keep_output(&ticket, pieces, count, -1);
}

Envelope envelope_of_found(const MPI_Status& status) {
  Envelope envelope{status.MPI_SOURCE, status.MPI_TAG, 0, 0, 0};
  int count = 0;
  if (real.Get_count(&status, handles.byte, &count) == MPI_SUCCESS && count > 0) {
    envelope.bytes = static_cast<std::uint64_t>(count);
  }
  return envelope;
}

Envelope envelope_of(const MPI_Status& status) {
  int cancelled = 0;
  if (real.Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled != 0) {
    return {status.MPI_SOURCE, status.MPI_TAG, 0, 1, 0};
  }
  return envelope_of_found(status);
}

void write_status(const Envelope& envelope, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = envelope.source;
  status->MPI_TAG = envelope.tag;
  status->MPI_ERROR = MPI_SUCCESS;
  real.Status_set_elements(status, handles.byte, static_cast<int>(envelope.bytes));
  real.Status_set_cancelled(status, envelope.is_cancelled);
}

void keep_received(const lockstep_ticket& ticket, const Region& room, const MPI_Status& status) {
  if (!keeps_payload() || ticket.communicator == 0) return;
  const Envelope envelope = envelope_of(status);
  Region got = room;
  got.bytes = static_cast<std::int64_t>(envelope.bytes);
  const lockstep_piece first{&envelope, sizeof envelope};
  keep_output(ticket, got, &first, 1, envelope.source);
}

void serve_got(const lockstep_ticket& ticket, const Region& got) {
  serve(ticket, got, nullptr, 0);
}

void serve_received(const lockstep_ticket& ticket, const Region& room, MPI_Status* status) {
  Envelope envelope{};
  Region got = room;
  got.bytes = static_cast<std::int64_t>(served_bytes(ticket, 1));
  const lockstep_piece first{&envelope, sizeof envelope};
  serve(ticket, got, &first, 1);
  write_status(envelope, status);
}

std::size_t served_bytes(const lockstep_ticket& ticket, std::size_t output) {
  std::uint64_t bytes = 0;
  const int answer = lockstep_served_bytes(&ticket, output, &bytes);
  if (answer != LOCKSTEP_SERVED) leave_replay(ticket, answer);
  return static_cast<std::size_t>(bytes);
}

void serve_rooms(const lockstep_ticket& ticket, const lockstep_room* rooms, std::size_t count) {
  lockstep_served served{};
  served.size = sizeof served;
  const int answer = lockstep_serve_call(&ticket, rooms, count, &served);
  const bool is_over_anyway = answer == LOCKSTEP_SERVE_OPEN && ticket.operation == LOCKSTEP_OPERATION_Send;
  if (answer != LOCKSTEP_SERVED && !is_over_anyway) leave_replay(ticket, answer);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
