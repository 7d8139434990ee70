"""Where in the script a call was made, for the recorder."""

MOST_FRAMES = 32
_MOST_KNOWN = 4096


class Stacks:
    def __init__(self, library):
        self._library = library
        self._known = {}  # code: the ids of its name and of its file

    def intern(self, frame):
        """The id of the stack that `frame` is on top of, or 0 when this call needs none."""
        if not self._library.wants_stack():
            return 0
        frames = []
        while frame is not None and len(frames) < MOST_FRAMES:
            frames.append((*self._ids(frame.f_code), frame.f_lineno or 0))
            frame = frame.f_back
        return self._library.intern_stack(frames)

    def _ids(self, code):
        ids = self._known.get(code)
        if ids is None:
            ids = self._library.intern(code.co_name), self._library.intern(code.co_filename)
            if len(self._known) < _MOST_KNOWN:
                self._known[code] = ids
        return ids
