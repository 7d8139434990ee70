#include "python_stack.h"

#include <cstddef>
#include <dlfcn.h>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {
namespace {

struct Object;  // Python's

// Attributes rather than structures: they are the same in every version.
struct Interpreter {
  int (*is_initialized)();
  int (*is_finalizing)();  // null before Python 3.7's underscored one, or after it lost its underscore
  void* (*this_thread)();
  int (*holds_lock)();
  int (*take_lock)();
  void (*give_lock)(int);
  Object* (*frame)();
  Object* (*attribute)(Object*, const char*);
  const char* (*text)(Object*, std::ptrdiff_t*);
  long (*number)(Object*);
  Object* (*error)();
  void (*clear_error)();
  void (*keep)(Object*);
  void (*drop)(Object*);
  Object* none;

  bool is_whole() const {
    return is_initialized && this_thread && holds_lock && take_lock && give_lock && frame && attribute &&
           text && number && error && clear_error && keep && drop && none;
  }
};

template <typename Function>
void find_in_python(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

Interpreter find_interpreter() {
  Interpreter python{};
  find_in_python(python.is_initialized, "Py_IsInitialized");
  find_in_python(python.is_finalizing, "Py_IsFinalizing");
  if (python.is_finalizing == nullptr) find_in_python(python.is_finalizing, "_Py_IsFinalizing");
  find_in_python(python.this_thread, "PyGILState_GetThisThreadState");
  find_in_python(python.holds_lock, "PyGILState_Check");
  find_in_python(python.take_lock, "PyGILState_Ensure");
  find_in_python(python.give_lock, "PyGILState_Release");
  find_in_python(python.frame, "PyEval_GetFrame");
  find_in_python(python.attribute, "PyObject_GetAttrString");
  find_in_python(python.text, "PyUnicode_AsUTF8AndSize");
  find_in_python(python.number, "PyLong_AsLong");
  find_in_python(python.error, "PyErr_Occurred");
  find_in_python(python.clear_error, "PyErr_Clear");
  find_in_python(python.keep, "Py_IncRef");
  find_in_python(python.drop, "Py_DecRef");
  find_in_python(python.none, "_Py_NoneStruct");
  return python;
}

// One reference, given back at the end.
class Held {
 public:
  Held(const Interpreter& python, Object* object) : python_(python), object_(object) {}
  ~Held() {
    if (object_ != nullptr) python_.drop(object_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Object* get() const { return object_; }
  void replace(Object* object) {
    if (object_ != nullptr) python_.drop(object_);
    object_ = object;
  }

 private:
  const Interpreter& python_;
  Object* object_;
};

std::uint32_t interned_text(const Interpreter& python, Object* owner, const char* attribute) {
  const Held value(python, python.attribute(owner, attribute));
  std::ptrdiff_t bytes = 0;
  const char* text = value.get() == nullptr ? nullptr : python.text(value.get(), &bytes);
  return text == nullptr ? 0 : lockstep_intern_string(text, static_cast<std::size_t>(bytes));
}

lockstep_frame_facts frame_facts(const Interpreter& python, Object* frame) {
  lockstep_frame_facts facts{};
  const Held line(python, python.attribute(frame, "f_lineno"));
  if (line.get() != nullptr && line.get() != python.none) {
    facts.line = static_cast<std::uint32_t>(python.number(line.get()));
  }
  const Held code(python, python.attribute(frame, "f_code"));
  if (code.get() != nullptr) {
    facts.function = interned_text(python, code.get(), "co_name");
    facts.file = interned_text(python, code.get(), "co_filename");
  }
  return facts;
}

std::uint32_t walk(const Interpreter& python) {
  constexpr std::uint32_t kMostFrames = 32;
  if (python.error() != nullptr) return 0;  // an exception is on its way: not ours to disturb
  lockstep_frame_facts frames[kMostFrames];
  std::uint32_t count = 0;
  Object* innermost = python.frame();
  if (innermost == nullptr) return 0;
  python.keep(innermost);
  Held frame(python, innermost);
  while (frame.get() != nullptr && frame.get() != python.none && count < kMostFrames) {
    frames[count++] = frame_facts(python, frame.get());
    frame.replace(python.attribute(frame.get(), "f_back"));
  }
  if (python.error() != nullptr) python.clear_error();
  return lockstep_intern_stack(frames, count);
}

}  // namespace

std::uint32_t intern_python_stack() {
  static const Interpreter python = find_interpreter();
  if (!python.is_whole() || !python.is_initialized()) return 0;
  if (python.is_finalizing != nullptr && python.is_finalizing()) return 0;
  if (python.this_thread() == nullptr) return 0;
  if (python.holds_lock()) return walk(python);
  const int state = python.take_lock();
  const std::uint32_t stack = walk(python);
  python.give_lock(state);
  return stack;
}

}  // namespace lockstep::pytorch
