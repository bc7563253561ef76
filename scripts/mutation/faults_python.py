"""Faults of Python: how the places of a syntax tree can be spoilt."""
import ast
import dis
import re

COMPARED = {ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"),
            ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
            ast.In: ("in", "not in"), ast.NotIn: ("not in", "in")}
COMPUTED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.Div: ("/", "*"),
            ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"), ast.LShift: ("<<", ">>"),
            ast.RShift: (">>", "<<"), ast.BitAnd: ("&", "|"),
            ast.BitOr: ("|", "&")}
JOINED = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


class _Finder(ast.NodeVisitor):
    """Collects (line number, lines, kind, new text of the lines) of a module."""

    def __init__(self, text):
        self.lines = [line.encode() for line in text.split("\n")]  # the tree counts columns in bytes
        self.found = []

    def put(self, kind, line, start, end, new):
        """Replaces a part of one line."""
        old = self.lines[line - 1]
        self.found.append((line, 1, kind, (old[:start] + new.encode() + old[end:]).decode()))

    def between(self, kind, left, right, old, new):
        """Replaces the operator between two expressions, where it shares a line with an end of one of them."""
        for line in range(left.end_lineno, right.lineno + 1):
            start = left.end_col_offset if line == left.end_lineno else 0
            end = right.col_offset if line == right.lineno else len(self.lines[line - 1])
            gap = self.lines[line - 1][start:end].split(b"#")[0]
            word = re.escape(old).replace(r"\ ", r"\s+")
            m = re.search((r"\b%s\b" % word if old[0].isalpha() else word).encode(), gap)
            if m:
                self.put(kind, line, start + m.start(), start + m.end(), new)
                return

    def visit_Compare(self, node):
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators):
            self.between("operator", left, right, *COMPARED[type(op)])
        self.generic_visit(node)

    def visit_BinOp(self, node):
        if type(node.op) in COMPUTED and not isinstance(node.left, ast.JoinedStr):
            self.between("operator", node.left, node.right, *COMPUTED[type(node.op)])
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        if type(node.op) in COMPUTED:
            old, new = COMPUTED[type(node.op)]
            self.between("operator", node.target, node.value, old + "=", new + "=")
        self.drop(node)
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        for left, right in zip(node.values, node.values[1:]):
            self.between("operator", left, right, *JOINED[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not) and node.lineno == node.operand.lineno:
            self.put("operator", node.lineno, node.col_offset, node.operand.col_offset, "")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, bool):
            self.put("truth value", node.lineno, node.col_offset, node.end_col_offset, str(not node.value))
        elif isinstance(node.value, (int, float)):
            self.put("off by one", node.lineno, node.col_offset, node.end_col_offset, repr(node.value + 1))

    def condition(self, node):
        if node.lineno == node.end_lineno:
            text = self.lines[node.lineno - 1][node.col_offset:node.end_col_offset].decode()
            self.put("condition turned", node.lineno, node.col_offset, node.end_col_offset, f"(not ({text}))")

    def visit_If(self, node):
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node):
        self.condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node):
        self.condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        for test in node.ifs:
            self.condition(test)
        self.generic_visit(node)

    def drop(self, node):
        """Replaces a statement by `pass`."""
        first, last = self.lines[node.lineno - 1], self.lines[node.end_lineno - 1]
        if first[:node.col_offset].strip() or last[node.end_col_offset:].split(b"#")[0].strip():
            return
        count = node.end_lineno - node.lineno + 1
        new = first[:node.col_offset].decode() + "pass" + "\n" * (count - 1)
        self.found.append((node.lineno, count, "dropped", new))

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call):
            self.drop(node)
        self.generic_visit(node)

    def visit_Assign(self, node):
        if any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets):  # a name would be missed
            self.drop(node)
        self.generic_visit(node)

    def visit_Delete(self, node):
        self.drop(node)

    def visit_Raise(self, node):
        self.drop(node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    def visit_arg(self, node):
        pass  # a type hint

    def visit_FunctionDef(self, node):
        if any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list):
            return
        for part in [*node.decorator_list, node.args, *node.body]:
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_JoinedStr(self, node):
        pass  # Python 3.11 does not know the columns in these


def faults(text):
    """All faults of a Python text: (line number, kind, old lines, new lines)."""
    finder = _Finder(text)
    finder.visit(ast.parse(text))
    lines = text.split("\n")
    for number, count, kind, new in sorted(set(finder.found)):
        yield number, kind, "\n".join(lines[number - 1:number - 1 + count]), new


def code(text):
    """What a module compiles to, but for the places of its parts in the text; None for what does not compile."""
    try:
        return _instructions(compile(text, "", "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return None


def _instructions(of):
    parts = [(i.opcode, _instructions(i.argval) if hasattr(i.argval, "co_code") else (type(i.argval), repr(i.argval)))
             for i in dis.get_instructions(of)]
    return of.co_name, of.co_flags, of.co_argcount, of.co_exceptiontable, *parts


def lines_of_code(text):
    """The lines that Python can stop in."""
    found, left = set(), [compile(text, "", "exec", dont_inherit=True)]
    while left:
        part = left.pop()
        found.update(line for _, _, line in part.co_lines() if line)
        left += [c for c in part.co_consts if hasattr(c, "co_lines")]
    return found


def statement(text, line):
    """The lines of the smallest statement around a line."""
    spans = [(n.end_lineno - n.lineno, n.lineno, n.end_lineno) for n in ast.walk(ast.parse(text))
             if isinstance(n, ast.stmt) and n.lineno <= line <= n.end_lineno]
    _, first, last = min(spans, default=(0, line, line))
    return range(first, last + 1)
