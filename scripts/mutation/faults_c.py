"""Faults of C: how a line can be spoilt."""
import re

OPERATORS = [
    (r"(?<![<>=!+\-*/&|])<=(?!=)", ["<"]), (r"(?<![<>=!+\-*/&|-])>=(?!=)", [">"]),
    (r"(?<![<\w\"-])\s<\s", [" <= "]), (r"\s>\s", [" >= "]),
    (r"==", ["!="]), (r"!=", ["=="]), (r"&&", ["||"]), (r"\|\|", ["&&"]),
    (r"(?<=[\w)\]]) \+ (?=[\w(*&])", [" - "]), (r"(?<=[\w)\]]) - (?=[\w(*&])", [" + "]),
    (r"(?<=[\w)\]]) \* (?=[\w(])", [" + "]), (r"(?<=[\w)\]]) / (?=[\w(])", [" * "]),
    (r"(?<=[\w)\]]) % (?=[\w(])", [" / "]), (r"<<(?!=)", [">>"]), (r">>(?!=)", ["<<"]),
    (r" \+= ", [" -= "]), (r" -= ", [" += "]), (r" \|= ", [" &= "]),
    (r"\+\+", ["--"]), (r"--(?!>)", ["++"]), (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
    (r"(?<![\w.])!(?=[\w(])", [""]),
    # names that come in pairs
    (r"\bMIN\b", ["MAX"]), (r"\bMAX\b", ["MIN"]), (r"\bADD\b", ["SUB"]), (r"\bLT\b", ["LE"]), (r"\bGT\b", ["GE"]),
    (r"\bX, Y\b", ["Y, X"]), (r"\bC1\b", ["C2"]), (r"\bC2\b", ["C1"]),
]
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
ARRAY = re.compile(r"^\s*(?:static |const )*[\w ]+?[ *]\w+(\[\w+\])+(, \*?\w+(\[\w+\])*)*;$")
LENGTH = re.compile(r"\](\[\w+\])* = \{")  # behind the number: of an array with values
CONDITION = re.compile(r"\b(if|while) \((.*)\)( \{| return.*;| continue;| break;| [\w*].*;)?$")
STATEMENT = re.compile(r"^\s+(?!return|break|continue|else|goto|case|default|static|const|enum|struct|typedef|uint|int|"
                       r"size_t|bool|char|void|double|float|vt_\w+ \*?\w+[;=]|vta_\w+ \*?\w+[;=])"
                       r"([\w*(][\w\->.\[\]*&]*(\(.*\)| [-+|&*/%]?= .*|\+\+|--)|(if|for|while) \(.*\) [^{]*);$")


def blank(text):
    """The text with comments and string literals replaced by spaces, so that columns stay."""
    pattern = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def faults_of_line(line, code):
    """(kind, new line) for each way to spoil a line; code: the line without comments and strings."""
    if code.lstrip().startswith("#") or not code.strip():
        return
    for pattern, others in OPERATORS:
        for m in re.finditer(pattern, code):
            for other in others:
                yield "operator", line[:m.start()] + other + line[m.end():]
    for m in NUMBER.finditer(code) if not ARRAY.match(code) else ():
        if LENGTH.match(code[m.end():]):
            continue
        yield "off by one", line[:m.start()] + str(int(m.group()) + 1) + line[m.end():]
    m = CONDITION.search(code)
    if m and balanced(m.group(2)):
        yield "condition turned", line[:m.start(2)] + "!(" + line[m.start(2):m.end(2)] + ")" + line[m.end(2):]
    if STATEMENT.match(code):
        yield "dropped", re.sub(r"\S.*", ";", line)


def balanced(text):
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0


def faults(text):
    """All faults of a C text: (line number, kind, old line, new line)."""
    for number, (line, plain) in enumerate(zip(text.split("\n"), blank(text).split("\n")), 1):
        for kind, new in faults_of_line(line, plain):
            if new != line:
                yield number, kind, line, new
