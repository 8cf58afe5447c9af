"""Formulas of the code as MathML: `vᵀ tanh(W_q q + W_k k_i)` becomes a `<math>` element.

The grammar is that of our own formula strings: names and numbers side by side are a product, ` / ` and `/` make a
fraction of the products around them, `_x`, `_{…}`, `^x`, `ᵀ`, `²` and `₊` are scripts, `√x` a root. What it does not
know becomes an operator; every text is escaped. A mechanism that a user registers gets its formula this way too.
"""

import re
from functools import lru_cache
from html import escape

from jumok.studio.payload import Formula

# A hyphen belongs to a word of several letters (one-hot); between symbols it is a sign.
_TOKEN = re.compile(r"\s+|\d+(?:\.\d+)?|[^\W\d_]{2,}(?:-[^\W\d_]{2,})+|[^\W\d_]+[\u0300-\u036f]*|.", re.DOTALL)
_OPEN = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖"}
_SCRIPTS = {"ᵀ": ("msup", "<mi>T</mi>"), "²": ("msup", "<mn>2</mn>"), "₊": ("msub", "<mo>+</mo>")}
_JOINING = set("+−-=≤≥←→,;·×~∈…")
_LARGE = {"Σ": "∑"}
# The keyboard's tilde is an accent to MathML; the relation has room on both sides.
_RELATIONS = {"~": "∼"}
NAMESPACE = "http://www.w3.org/1998/Math/MathML"


@lru_cache(maxsize=512)
def formula(plain: str) -> Formula:
    """The formula as it is written and as MathML."""
    body = _Parser(plain).everything()
    return Formula(plain=plain, mathml=f'<math xmlns="{NAMESPACE}"><mrow>{body}</mrow></math>')


class _Parser:
    """Reads a formula from left to right; it never fails."""

    def __init__(self, text: str) -> None:
        # ᵀ counts as a letter: it is parted from the name before it.
        spread = re.sub("([ᵀ₊²])", " \\1", text).replace("  ", " ")
        self.tokens = [token for token in _TOKEN.findall(spread) if not token.isspace()]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def everything(self) -> str:
        out: list[str] = []
        while self.peek():
            out.append(self.until(""))
            if self.peek():  # a bracket that was never opened
                out.append(_operator(self.take()))
        return "".join(out)

    def until(self, closing: str) -> str:
        """Products and the operators between them, up to the closing bracket."""
        out: list[str] = []
        while (token := self.peek()) and token != closing and token not in ")]}":
            out.append(_operator(self.take()) if token in _JOINING else self.product(closing))
        return "".join(out)

    def product(self, closing: str) -> str:
        """Atoms side by side; a slash makes a fraction of those before and after it."""
        above, below = [], []
        part, sliced = above, False
        while (token := self.peek()) and token != closing and token not in ")]}" and token not in _JOINING:
            if token == "/":
                self.take()
                if sliced:
                    part.append(_operator("/"))
                part, sliced = below, True
                continue
            part.append(self.atom())
        if not sliced:
            return _side_by_side(above)
        return f"<mfrac><mrow>{_side_by_side(above)}</mrow><mrow>{_side_by_side(below)}</mrow></mfrac>"

    def atom(self) -> str:
        """A name, number, root or bracket with its scripts."""
        token = self.take()
        if token == "√":
            base = f"<msqrt>{self.atom() if self.peek() else ''}</msqrt>"
        elif token in _OPEN:
            base = self.bracket(token)
        elif token in _LARGE:
            base = _operator(_LARGE[token])
        elif token[0].isdigit():
            base = f"<mn>{escape(token)}</mn>"
        elif token[0].isalpha():
            base = f"<mi>{escape(token)}</mi>"
        else:
            base = _operator(token)
        return self.with_scripts(base)

    def bracket(self, opening: str) -> str:
        closing = _OPEN[opening]
        inside = self.until(closing)
        found = self.peek() == closing
        if found:
            self.take()
        if opening == "{":
            return f"<mrow>{inside}</mrow>"
        tall = "<mfrac>" in inside
        return f"<mrow>{_fence(opening, tall)}{inside}{_fence(closing, tall) if found else ''}</mrow>"

    def with_scripts(self, base: str) -> str:
        below = above = ""
        while token := self.peek():
            if token in _SCRIPTS:
                self.take()
                tag, script = _SCRIPTS[token]
                below, above = (script, above) if tag == "msub" else (below, script)
            elif token in "_^" and self.at + 1 < len(self.tokens):
                self.take()
                script = self.script()
                below, above = (script, above) if token == "_" else (below, script)
            else:
                break
        if below and above:
            return f"<msubsup>{base}{below}{above}</msubsup>"
        if below or above:
            tag = "msub" if below else "msup"
            return f"<{tag}>{base}{below or above}</{tag}>"
        return base

    def script(self) -> str:
        """What follows `_` or `^`: one name, number, sign or bracket."""
        token = self.take()
        if token in _OPEN:
            return self.bracket(token)
        tag = "mn" if token[0].isdigit() else "mi" if token[0].isalpha() else "mo"
        return f"<{tag}>{escape(token)}</{tag}>"


def _operator(sign: str) -> str:
    return f"<mo>{escape(_RELATIONS.get(sign, sign))}</mo>"


def _fence(sign: str, tall: bool) -> str:
    """A bracket, as high as a line of text unless there is a fraction in it."""
    return _operator(sign) if tall else f'<mo stretchy="false">{escape(sign)}</mo>'


def _side_by_side(atoms: list[str]) -> str:
    """A product; words of several letters keep a space between them."""
    word, argument = re.compile(r"<mi>[^<]{2,}</mi>"), re.compile(r"<mrow><mo[^>]*>\(")
    out: list[str] = []
    for before, atom in zip(["", *atoms], atoms, strict=False):
        spaced = before and (word.fullmatch(before) or word.fullmatch(atom)) and not argument.match(atom)
        out.append(f'<mspace width="0.25em"/>{atom}' if spaced else atom)
    return "".join(out)
