// The Python frames of the calling thread, innermost first.
#pragma once

#include <cstdint>

namespace lockstep::pytorch {

// The id of the stack, or 0 when this thread runs no Python.
//
// The interpreter's functions are looked up at run time, so that one build serves every Python. c10d's
// bindings let go of the interpreter's lock before an operation is issued; a thread that Python knows takes
// it here for as long as the walk lasts, as it will a moment later to return, and as PyTorch's own flight
// recorder does at the same place. A thread that Python does not know never asks for it.
std::uint32_t intern_python_stack();

}  // namespace lockstep::pytorch
