"""The small language of the rules: arithmetic and comparison over fields, and nothing else.

It is read with Python's parser and compiled to closures from a list of what is allowed; nothing
is ever evaluated as code. Types are checked while compiling, so that a rule that adds a date to
a sum is refused at the start and not on the thousandth document. A rule over a field that is
not there is skipped: arithmetic with None raises `Lacking`.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException
from typing import Any

from shared.checks.scope import (
    Evaluate,
    Function,
    Lacking,
    Scope,
    Type,
    TypedFunction,
)
from shared.invoice.paths import LISTS, kind_of

CHARS_MAX = 500
ARITHMETIC = Context(prec=50)


class WrongExpression(Exception):
    """Says what is wrong, and at which column of the text, counted from 1."""

    def __init__(self, sentence: str, column: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.column = column


@dataclass(frozen=True, slots=True)
class Compiled:
    type: Type
    run: Evaluate
    # The side of `abs(…) <= …` that ought to be nothing, for whoever explains or repairs.
    residual: Evaluate | None = None
    # The fields that it asks for by name.
    paths: frozenset[str] = frozenset()


_KINDS: Mapping[str, Type] = {
    "money": "number",
    "number": "number",
    "date": "date",
    "flag": "truth",
    "text": "text",
    "code": "text",
}


def compile_expression(
    text: str, functions: Mapping[str, TypedFunction], each: str | None = None
) -> Compiled:
    if len(text) > CHARS_MAX:
        raise WrongExpression(
            f"is longer than {CHARS_MAX} characters; split the rule", CHARS_MAX
        )
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise WrongExpression(f"cannot be read ({error.msg})", error.offset or 1) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise WrongExpression(f"cannot be read ({error})", 1) from None
    compiler = _Compiler(functions, each)
    try:
        kind, run = compiler.compile(tree)
    except RecursionError:
        raise WrongExpression("is nested too deep; split the rule", 1) from None
    return Compiled(kind, run, compiler.residual, frozenset(compiler.paths))


Node = tuple[Type, Evaluate]


class _Compiler:
    def __init__(self, functions: Mapping[str, TypedFunction], each: str | None) -> None:
        self._functions = functions
        self._each = each
        self.residual: Evaluate | None = None
        self.paths: set[str] = set()

    def compile(self, node: ast.expr) -> Node:  # noqa: C901, PLR0911 -- the list of what is allowed
        match node:
            case ast.Constant():
                return _constant(node)
            case ast.Name() | ast.Attribute():
                return self._path(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._both_or_either(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
        raise _wrong(f"{type(node).__name__} is not part of the language", node)

    def _want(self, node: ast.expr, wanted: Type) -> Evaluate:
        kind, run = self.compile(node)
        if kind != wanted:
            raise _wrong(f"{ast.unparse(node)} is a {kind} where a {wanted} is needed", node)
        return run

    def _path(self, node: ast.Name | ast.Attribute) -> Node:
        name = ast.unparse(node)
        if name.startswith("it.") and self._each is not None:
            return self._member(node, name.removeprefix("it."), self._each)
        if name in LISTS:
            return "list", lambda scope: scope.values.members(name)
        for one in LISTS:
            if name.startswith(f"{one}."):
                return self._column(node, one, name.removeprefix(f"{one}."))
        kind = kind_of(name)
        if kind is None:
            raise _wrong(f"no invoice has a field {name}", node)
        self.paths.add(name)
        return _KINDS[kind], lambda scope: scope.values.get(name)

    def _member(self, node: ast.expr, rest: str, each: str) -> Node:
        kind = kind_of(f"{each}.0.{rest}")
        if kind is None:
            raise _wrong(f"no member of {each} has a field {rest}", node)
        return _KINDS[kind], lambda scope: scope.it.get(rest)

    def _column(self, node: ast.expr, name: str, rest: str) -> Node:
        kind = kind_of(f"{name}.0.{rest}")
        if kind is None:
            raise _wrong(f"no member of {name} has a field {rest}", node)
        return "column", lambda scope: [
            one.get(rest) for one in scope.values.members(name).values()
        ]

    def _arithmetic(self, node: ast.BinOp) -> Node:
        work = _ARITHMETIC.get(type(node.op))
        if work is None:
            raise _wrong(f"{type(node.op).__name__} is not part of the language", node)
        left, right = self._want(node.left, "number"), self._want(node.right, "number")

        def run(scope: Scope) -> object:
            one, other = left(scope), right(scope)
            if one is None or other is None:
                raise Lacking
            try:
                return work(one, other)
            except DecimalException:
                # Divided by nothing, or out of all measure: there is no answer.
                raise Lacking from None

        return "number", run

    def _unary(self, node: ast.UnaryOp) -> Node:
        if isinstance(node.op, ast.Not):
            truth = self._want(node.operand, "truth")
            return "truth", lambda scope: not _given(truth(scope))
        if isinstance(node.op, ast.USub):
            number = self._want(node.operand, "number")
            return "number", lambda scope: ARITHMETIC.minus(_given(number(scope)))
        raise _wrong(f"{type(node.op).__name__} is not part of the language", node)

    def _comparison(self, node: ast.Compare) -> Node:
        if len(node.ops) != 1:
            raise _wrong("compare two things at a time", node)
        sign, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(sign, ast.Is | ast.IsNot):
            return self._presence(sign, left, right)
        if isinstance(sign, ast.In | ast.NotIn):
            return self._membership(sign, left, right)
        compare = _COMPARISONS[type(sign)]
        kind, one = self.compile(left)
        other = self._want(right, kind)
        if isinstance(sign, ast.LtE) and _is_abs(left) and self.residual is None:
            self.residual = self._want(left.args[0], "number")  # type: ignore[attr-defined]  # a call, as just asked
        return "truth", lambda scope: compare(_given(one(scope)), _given(other(scope)))

    def _presence(self, sign: ast.cmpop, left: ast.expr, right: ast.expr) -> Node:
        if not (isinstance(right, ast.Constant) and right.value is None):
            raise _wrong("`is` goes with None only; use ==", right)
        _, run = self.compile(left)
        if isinstance(sign, ast.Is):
            return "truth", lambda scope: run(scope) is None
        return "truth", lambda scope: run(scope) is not None

    def _membership(self, sign: ast.cmpop, left: ast.expr, right: ast.expr) -> Node:
        if not isinstance(right, ast.Tuple | ast.List) or not right.elts:
            raise _wrong("`in` needs a list of constants", right)
        kind, one = self.compile(left)
        allowed = frozenset(self._literal(each, kind) for each in right.elts)
        if isinstance(sign, ast.In):
            return "truth", lambda scope: _given(one(scope)) in allowed
        return "truth", lambda scope: _given(one(scope)) not in allowed

    def _literal(self, node: ast.expr, wanted: Type) -> object:
        kind, run = _constant(node)
        if kind != wanted:
            raise _wrong(f"{ast.unparse(node)} is a {kind} where a {wanted} is needed", node)
        return run(Scope.nothing())

    def _both_or_either(self, node: ast.BoolOp) -> Node:
        parts = [self._want(one, "truth") for one in node.values]
        if isinstance(node.op, ast.And):
            return "truth", lambda scope: all(_given(one(scope)) for one in parts)
        return "truth", lambda scope: any(_given(one(scope)) for one in parts)

    def _choice(self, node: ast.IfExp) -> Node:
        test = self._want(node.test, "truth")
        kind, then = self.compile(node.body)
        other = self._want(node.orelse, kind)
        return kind, lambda scope: (then if _given(test(scope)) else other)(scope)

    def _call(self, node: ast.Call) -> Node:
        name = ast.unparse(node.func)
        known = self._functions.get(name)
        if known is None:
            raise _wrong(
                f"there is no function {name}; there are {', '.join(sorted(self._functions))}",
                node,
            )
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise _wrong(f"{name} takes plain arguments only", node)
        arguments = [self.compile(one) for one in node.args]
        wrong = known.refuses([kind for kind, _ in arguments])
        if wrong:
            raise _wrong(f"{name} {wrong}", node)
        if known.answers == "same":
            return arguments[0][0], _default(arguments[0][1], arguments[1][1])
        kind = known.answers
        return kind, _called(known.run, [run for _, run in arguments])


def _called(work: Function, arguments: list[Evaluate]) -> Evaluate:
    return lambda scope: work(scope, [one(scope) for one in arguments])


def _default(one: Evaluate, other: Evaluate) -> Evaluate:
    """Asks for the other only when it is needed: it may lack something itself."""

    def run(scope: Scope) -> object:
        value = one(scope)
        return other(scope) if value is None else value

    return run


def _constant(node: ast.expr) -> Node:
    value = getattr(node, "value", None)
    if isinstance(value, bool):
        return "truth", lambda _: value
    if isinstance(value, str):
        return "text", lambda _: value
    if isinstance(value, int | float):
        # The shortest text of a float is what was written.
        number = Decimal(repr(value))
        if not number.is_finite():
            raise _wrong("is no number", node)
        return "number", lambda _: number
    raise _wrong(f"{ast.unparse(node)} is not part of the language", node)


def _given(value: Any) -> Any:  # noqa: ANN401 -- the compiler has checked its type
    if value is None:
        raise Lacking
    return value


def _is_abs(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and ast.unparse(node.func) == "abs" and len(node.args) == 1
    )


def _wrong(sentence: str, node: ast.expr) -> WrongExpression:
    return WrongExpression(sentence, node.col_offset + 1)


_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Decimal]] = {
    ast.Add: ARITHMETIC.add,
    ast.Sub: ARITHMETIC.subtract,
    ast.Mult: ARITHMETIC.multiply,
    ast.Div: ARITHMETIC.divide,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
