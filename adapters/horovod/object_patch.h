// Puts our functions in front of those that one loaded object uses: by the pointers that the loader filled in
// for it, and by the tables of its virtual functions. Preloading cannot do this: the object is opened late,
// and binds to itself.
#pragma once

namespace lockstep::adapters::horovod {

// The pointer through which the object calls a function of another, by the mangled name's beginning. Null
// when it calls none of that name.
void** imported_function(void* handle, const char* name_begin);

// The pointer to `function` in the virtual table at `table`, or null.
void** virtual_function(void** table, const void* function);

// Stores `replacement` there, also where the loader made the page read-only. False when the kernel refuses.
bool replace(void** place, void* replacement);

}  // namespace lockstep::adapters::horovod
