// Messages of a replay for Fortran. Open MPI finds the number of a handle in what the handle points to.
#include "handles.h"
#include "known_messages.h"
#include "wrappers.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

#ifdef OPEN_MPI
namespace {

decltype(&PMPI_Message_c2f) real_Message_c2f;
decltype(&PMPI_Message_f2c) real_Message_f2c;

MPI_Fint solo_Message_c2f(MPI_Message message) {
  const int number = number_of_message(message);
  return number != 0 ? number : real_Message_c2f(message);
}

MPI_Message solo_Message_f2c(MPI_Fint number) {
  const MPI_Message message = message_of_fortran(number);
  return message != nullptr ? message : real_Message_f2c(number);
}

template <typename Signature>
void put_conversion(AnyFunction* conversions, Conversion which, Signature** real_one, Signature* own) {
  *real_one = reinterpret_cast<Signature*>(conversions[which]);
  if (*real_one != nullptr) conversions[which] = reinterpret_cast<AnyFunction>(own);
}

}  // namespace

void fill_solo_conversions(AnyFunction* conversions) {
  put_conversion(conversions, kMessage_c2f, &real_Message_c2f, solo_Message_c2f);
  put_conversion(conversions, kMessage_f2c, &real_Message_f2c, solo_Message_f2c);
}
#endif

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
