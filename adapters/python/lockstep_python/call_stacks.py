"""Where in the script a call was made, for the recorder."""

MOST_FRAMES = 32
_MOST_KNOWN = 4096


class Stacks:
    def __init__(self, library, wants_stack):
        self._library, self._wants_stack = library, wants_stack
        self._names = {}  # code: the ids of its name and of its file
        self._known = {}  # codes and lines: the id of the stack

    def intern(self, frame):
        """The id of the stack that `frame` is on top of, or 0 when this call needs none."""
        if not self._wants_stack():
            return 0
        frames = []
        while frame is not None and len(frames) < MOST_FRAMES:
            frames.append((frame.f_code, frame.f_lineno or 0))
            frame = frame.f_back
        key = tuple(frames)
        stack = self._known.get(key)
        if stack is None:
            stack = self._library.intern_stack([(*self._ids(code), line) for code, line in frames])
            if len(self._known) < _MOST_KNOWN:
                self._known[key] = stack
        return stack

    def _ids(self, code):
        ids = self._names.get(code)
        if ids is None:
            ids = self._library.intern(code.co_name), self._library.intern(code.co_filename)
            if len(self._names) < _MOST_KNOWN:
                self._names[code] = ids
        return ids
