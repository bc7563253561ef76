"""Python starts this by itself where PYTHONUSERBASE names its folder: writes down which lines of the front end run.

Each line is written at once, so that a process may end as it likes. Files that are not asked for are not looked at:
to trace each line of all makes the tests many times as slow."""
import os
import sys
import threading


def watch(folder, root, files):
    known, left = {}, {}
    file = None

    def put(text):
        nonlocal file
        if file is None:
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            file = os.open(f"{folder}/{os.getpid()}.lines", how, 0o666)
        os.write(file, text.encode())

    def each(frame, event, _):
        if event == "line":
            code = frame.f_code
            lines = left[code.co_filename, code.co_firstlineno, code.co_linetable]
            if frame.f_lineno in lines:
                lines.discard(frame.f_lineno)
                put(f"{known[code.co_filename]}:{frame.f_lineno}\n")
        return each

    def call(frame, _event, _arg):
        code = frame.f_code
        name = known.get(code.co_filename)
        if name is None:
            name = os.path.relpath(os.path.realpath(code.co_filename), root)
            name = known[code.co_filename] = name if name in files else ""
        if not name:
            return None
        key = code.co_filename, code.co_firstlineno, code.co_linetable
        lines = left.get(key)
        if lines is None:
            lines = left[key] = {line for _, _, line in code.co_lines() if line}
            if code.co_firstlineno in lines and code.co_name != "<module>":  # where it is called, no line begins
                lines.discard(code.co_firstlineno)
                put(f"{name}:{code.co_firstlineno}\n")
        return each if lines else None

    threading.settrace(call)
    sys.settrace(call)


if os.environ.get("VT_COUNTED"):
    watch(os.environ["VT_COUNTED"], os.environ["VT_COUNTED_TREE"], set(os.environ["VT_COUNTED_FILES"].split()))
