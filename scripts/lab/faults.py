"""Finds small faults that can be put into C++ sources, by rules on their tokens. Serves scripts/lab/mutants.

The rules rely on the formatting of the sources: an operator with two operands has blanks around it, the bracket of a
template's arguments has not. A fault that breaks the code nevertheless is found by the compiler."""

import bisect
import collections
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#(?:[^\n\\]|\\.)*)
  | (?P<string>R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<number>(?:\d|\.\d)(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|(?<=\s)>>=?|<=>|\.\.\.|::|->|\+\+|--|<<|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

Token = collections.namedtuple("Token", "text kind begin end spaced")

# What an operand of these operators does not reach across, by precedence: to the left, and to the right.
ENDS = frozenset("= += -= *= /= %= &= |= ^= <<= >>= ? : , ; return throw case else do".split())
LEVELS = [["||"], ["&&"], ["|", "^", "&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
LEVEL_OF = {sign: level for level, signs in enumerate(LEVELS) for sign in signs}

OPERATORS = {  # the operator that each becomes, and the kind of that fault
    "<": [("<=", "boundary"), (">=", "negation")], "<=": [("<", "boundary"), (">", "negation")],
    ">": [(">=", "boundary"), ("<=", "negation")], ">=": [(">", "boundary"), ("<", "negation")],
    "==": [("!=", "negation")], "!=": [("==", "negation")], "&&": [("||", "logic")], "||": [("&&", "logic")],
    "+": [("-", "arithmetic")], "-": [("+", "arithmetic")], "*": [("/", "arithmetic")], "/": [("*", "arithmetic")],
    "%": [("/", "arithmetic")],
}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
WORDS = {"true": ("false", "constant"), "false": ("true", "constant"), "kib": ("mib", "unit"), "mib": ("kib", "unit")}
CALLS = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "front": "back", "back": "front",
         "any_of": "all_of", "all_of": "any_of", "lower_bound": "upper_bound", "upper_bound": "lower_bound"}
COMMUTATIVE = {"min", "max", "minmax", "swap", "hypot", "gcd", "lcm"}
CONTROL = {"if", "for", "while", "switch", "catch", "constexpr"}
NOT_CALLED = CONTROL | {"sizeof", "alignof", "decltype", "noexcept", "return", "static_assert", "alignas", "operator",
                        "requires", "explicit", "asm"}


class Fault:
    """A place in a file, its old and its new code, and how to switch between them.

    The form is "expression", "statement" (removed), "kept" (run once in all), "entry" or "end" (inserted where a function
    begins or a loop ends) or "swap" (the new code is the two arguments)."""

    def __init__(self, source, begin, end, new, kind, form, place):
        self.path, self.begin, self.end, self.new, self.kind, self.form = source.path, begin, end, new, kind, form
        self.old = source.text[begin:end]
        self.line = bisect.bisect_left(source.line_ends, begin) + 1
        self.function, self.is_constant = place  # the compiler may run it
        self.has_switch = True

    @property
    def layer(self):
        return re.match(r"(?:src|include/memtest)/(\w+)", self.path)[1]

    @property
    def change(self):
        old, new = (" ".join(code.split()) for code in (self.old, self.alone()))
        if self.form in ("entry", "end"):
            return f"{self.kind}: {self.new} in {self.function}"
        return f"{self.kind}: {old}" if self.form == "kept" else f"{self.kind}: {old} -> {new}"

    def __str__(self):
        return f"{self.path}:{self.line}: {self.change}"

    def overlaps(self, other):
        return self.path == other.path and self.begin <= other.end and other.begin <= self.end

    def alone(self):
        """The code with the fault."""
        if self.form == "kept":
            return f"{{ static bool memtest_kept = false; if (!memtest_kept) {self.old} memtest_kept = true; }}"
        return {"statement": ";", "swap": ", ".join(self.new)}.get(self.form, self.new)

    def switched(self, number):
        """The code that has the fault when its number is chosen."""
        chosen = f"memtest_fault({number})"
        if self.form == "statement":
            return f"{{ if (!{chosen}) {self.old} }}"
        if self.form == "kept":
            return f"{{ static bool memtest_kept = false; if (!{chosen} || !memtest_kept) {self.old} memtest_kept = true; }}"
        if self.form in ("entry", "end"):
            return f" if ({chosen}) {self.new}"
        if self.form == "swap":
            second, first = map(on_one_line, self.new)
            lines = "\n" * self.old.count("\n")
            return f"({chosen} ? ({second}) : ({first})), {lines}({chosen} ? ({first}) : ({second}))"
        new, old = on_one_line(self.new), self.old
        if self.kind == "logic":  # an optional alone would make the type of both
            new = f"static_cast<bool>({new})"
        elif new == f"!({on_one_line(old)})":
            old = f"static_cast<bool>({old})"
        return f"({chosen} ? ({new}) : ({old}))"


def on_one_line(code):
    """Keeps the numbers of the lines that follow, by which the compiler's errors are told apart."""
    return code if "//" in code else code.replace("\n", " ")


class Source:
    """A file's tokens, brackets and scopes."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.line_ends = [i for i, c in enumerate(text) if c == "\n"]
        self.tokens = [Token(m[0], m.lastgroup if m.lastgroup != "mark" else "string", m.start(), m.end(),
                             text[m.start() - 1:m.start()].isspace() and text[m.end():m.end() + 1].isspace())
                       for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
        self.tokens.append(Token("", "end", len(text), len(text), False))
        self.find_brackets()
        self.scopes = {}  # of each brace: namespace, class, enum, block or values
        for i, token in enumerate(self.tokens):
            if token.text == "{":
                self.scopes[i] = self.scope_of_brace(i)

    def find_brackets(self):
        """The other bracket of each bracket, and the innermost open one around each token."""
        self.mate, self.parent, opened = {}, [], []
        for i, token in enumerate(self.tokens):
            closes = {")": "(", "]": "[", "}": "{"}.get(token.text)
            if closes:
                while opened and self.tokens[opened[-1]].text != closes:
                    opened.pop()
            elif token.text == ">" and not token.spaced and opened and self.tokens[opened[-1]].text == "<":
                closes = "<"
            if closes and opened:
                self.mate[i] = opened.pop()
                self.mate[self.mate[i]] = i
            self.parent.append(opened[-1] if opened else None)
            is_template = token.text == "<" and not token.spaced and self.word(i - 1) != "operator"
            if token.text in ("(", "[", "{") or is_template:
                opened.append(i)

    def word(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def ends_head(self, i, words):
        """Whether the bracket that ends here belongs to one of these keywords."""
        return self.word(i) == ")" and self.word(self.mate[i] - 1) in words

    def statement_begin(self, i):
        """The first token of the statement or declaration that holds this one, within the innermost bracket."""
        while i > 0:
            before = self.word(i - 1)
            if before in (";", "{", "(", "[") or (before == ":" and self.word(i - 2) in ("public", "private", "protected")):
                break
            if before in ("}", ")", "]", ">") and i - 1 in self.mate:
                if before == "}" and self.scopes.get(self.mate[i - 1]) != "values":
                    break
                if self.ends_head(i - 1, CONTROL):
                    break
                i = self.mate[i - 1]
            else:
                i -= 1
        return i

    def outer_words(self, begin, end):
        """The tokens from one to another, without what stands inside of brackets."""
        words, i = [], begin
        while i < end:
            words.append(i)
            i = self.mate[i] if self.mate.get(i, -1) > i and self.mate[i] < end else i + 1
        return words

    def scope_of_brace(self, i):
        begin = self.statement_begin(i)
        words = [self.word(j) for j in self.outer_words(begin, i)]
        before = self.word(i - 1)
        is_lambda = before in (")", "]", "mutable", "noexcept") or "->" in words[-8:] and ")" in words
        parent = self.parent[i]
        if parent is not None and self.scopes.get(parent, "values") in ("values", "enum"):
            return "block" if is_lambda else "values"
        if "namespace" in words[:2]:
            return "namespace"
        if "enum" in words[:1]:
            return "enum"
        if {"class", "struct", "union"} & set(words) and not {"(", "="} & set(words):
            return "class"
        ends = ("else", "do", "try", ";", "}", "{", "const", "override", "final", ":", "")
        return "block" if is_lambda or before in ends else "values"

    def around(self, i):
        """The open brackets around a token, from the inside."""
        i = self.parent[i]
        while i is not None:
            yield i
            i = self.parent[i]

    def declared(self, begin):
        """What a declaration declares: the name before its first bracket, value or end."""
        i = begin
        while self.word(i) not in ("(", "=", "{", ";", ""):
            i = self.mate[i] + 1 if self.word(i) in ("[", "<") and i in self.mate else i + 1
        return self.word(i - 1) if self.tokens[i - 1].kind == "word" else " ".join(map(self.word, (i - 2, i - 1)))

    def place_of(self, i):
        """The function of a fault at this token, and whether the compiler may run it; none where it cannot be."""
        child, words = i, set()
        for bracket in self.around(i):
            if self.is_left_alone(bracket):
                return None
            if self.scopes.get(bracket) in ("namespace", "class", "enum"):
                break
            if self.scopes.get(bracket) == "block" and self.scopes.get(child) != "block":
                words |= self.words_before(child)
            child = bracket
        words |= self.words_before(child)
        if words & {"static_assert", "using", "concept", "friend", "case"}:
            return None
        return self.declared(self.statement_begin(child)), bool(words & {"constexpr", "consteval", "constinit"})

    def words_before(self, i):
        """Those of its statement or declaration, without what stands inside of brackets."""
        return {self.word(j) for j in self.outer_words(self.statement_begin(i), i)}

    def is_left_alone(self, bracket):
        """Whether it opens arguments of a template, or a requires expression, which would no longer hold."""
        return self.word(bracket) == "<" or \
            self.word(bracket) == "{" and (self.word(bracket - 1) == "requires" or self.ends_head(bracket - 1, ["requires"]))

    def head(self, i):
        """The tokens of a declaration up to its value."""
        words = []
        while self.word(i) not in ("=", "{", ";", ""):
            words.append(self.word(i))
            i = self.mate[i] + 1 if i in self.mate and self.word(i) == "<" else i + 1
        return words

    def ends_operand(self, i, level):
        """Whether the operand of an operator of this precedence does not reach across this token."""
        token = self.tokens[i]
        return token.text in ENDS or token.spaced and LEVEL_OF.get(token.text, 99) < level

    def operand_begin(self, i, level):
        """Begin of the operand before the operator at i."""
        while i > 0 and not self.ends_operand(i - 1, level) and self.word(i - 1) not in ("(", "[", "{", "}"):
            before = self.mate.get(i - 1)
            if self.ends_head(i - 1, CONTROL):
                break
            i = before if before is not None else i - 1
        return i

    def operands(self, i):
        """The first and the last token of the operator at i with its operands."""
        level, last = LEVEL_OF[self.word(i)], i
        while not self.ends_operand(last + 1, level + 1) and self.word(last + 1) not in (")", "]", "}", ""):
            last = max(last + 1, self.mate.get(last + 1, -1))
        return self.operand_begin(i, level), last

    def chain_end(self, i):
        """The token after an operand: a name or bracket, with calls, indices and members."""
        while self.word(i) in ("++", "--", "*", "!", "-", "&"):
            i += 1
        if self.word(i) != "(":
            if self.tokens[i].kind != "word":
                return i
            i += 1
        while True:
            if self.word(i) in ("::", ".", "->"):
                i += 2
            elif self.word(i) in ("(", "[", "<") and i in self.mate:
                i = self.mate[i] + 1
            elif self.word(i) in ("++", "--"):
                i += 1
            else:
                return i

    def chain_begin(self, i):
        """Begin of the operand that ends with the name at i."""
        while self.word(i - 1) in ("::", ".", "->"):
            i -= 2
            while self.word(i) in (")", "]", ">") and i in self.mate:
                i = self.mate[i] - 1
            if self.tokens[i].kind != "word":
                return i + 1
        return i

    def is_statement(self, i):
        """Whether a statement of a block begins here."""
        if self.parent[i] is None or self.scopes.get(self.parent[i]) != "block":
            return False
        before = self.word(i - 1)
        return before in (";", "{", "else", "do") or self.ends_head(i - 1, CONTROL) or \
            before == "}" and self.scopes.get(self.mate[i - 1]) != "values"

    def statement_end(self, i):
        while self.word(i) not in (";", "", "}"):
            i = self.mate[i] + 1 if self.mate.get(i, -1) > i else i + 1
        return i

    def arguments(self, bracket):
        """Begin and end of each, as tokens."""
        begin = bracket + 1
        for i in [*self.outer_words(begin, self.mate[bracket]), self.mate[bracket]]:
            if i == self.mate[bracket] or self.word(i) == ",":
                if i > begin:
                    yield begin, i - 1
                begin = i + 1

    def code(self, first, last):
        return self.text[self.tokens[first].begin:self.tokens[last].end]

    def fault(self, first, last, new, kind, form="expression"):
        place = self.place_of(first)
        if place:
            begin, end = self.tokens[first].begin, self.tokens[last].end
            if form in ("entry", "end"):
                begin = end = self.tokens[first - 1].end
            yield Fault(self, begin, end, new, kind, form, place)

    def faults(self):
        for i, token in enumerate(self.tokens):
            if token.kind == "number":
                yield from self.of_number(i)
            elif token.kind == "word":
                yield from self.of_word(i)
            elif token.kind == "sign":
                yield from self.of_sign(i)
            if token.kind in ("word", "sign") and self.is_statement(i):
                yield from self.of_statement(i)

    def of_number(self, i):
        text = self.word(i)
        digits, suffix = re.fullmatch(r"(0[xX][\da-fA-F']+|[\d.']+(?:[eE][+-]?\d+)?)(\w*)", text).groups()
        try:
            value = int(digits.replace("'", ""), 0)
        except ValueError:
            value = float(digits.replace("'", ""))
        is_shift = self.word(i - 1) in ("<<", ">>")
        if isinstance(value, int) and (value < 10 or is_shift or digits.lower().startswith("0x")):
            new = value + 1
        else:
            new = 2 * value or 1.0  # one more would be within the tolerance of what it decides
        yield from self.fault(i, i, f"{new}{suffix}", "constant")

    def in_block(self, i):
        return any(self.scopes.get(bracket) == "block" for bracket in self.around(i))

    def of_word(self, i):
        word = self.word(i)
        if word in WORDS and self.word(i + 1) not in ("=", "("):
            yield from self.fault(i, i, *WORDS[word])
        if word in ("if", "while") and self.word(i + 1) == "(" and self.in_block(i):
            inner = self.outer_words(i + 2, self.mate[i + 1])
            if not {"=", ";"} & {self.word(j) for j in inner}:
                last = self.mate[i + 1] - 1
                yield from self.fault(i + 2, last, f"!({self.code(i + 2, last)})", "negation")
        if self.word(i + 1) == "(" and i + 1 in self.mate and word not in NOT_CALLED and self.in_block(i):
            if word in CALLS and self.word(i - 1) in ("::", "."):
                begin, end = self.chain_begin(i), self.mate[i + 1]
                yield from self.fault(begin, end, self.text[self.tokens[begin].begin:self.tokens[i].begin] + CALLS[word] +
                                      self.code(i + 1, end), "call")
            arguments = [] if word in COMMUTATIVE else list(self.arguments(i + 1))
            for one, other in zip(arguments, arguments[1:]):
                codes = self.code(*other), self.code(*one)
                if codes[0] != codes[1] and ('{' not in codes[1] or codes[1][0] != '"'):  # no format
                    yield from self.fault(one[0], other[1], codes, "swap", "swap")

    def of_sign(self, i):
        token = self.tokens[i]
        if token.spaced and token.text in OPERATORS and self.word(i - 1) != "operator" and self.place_of(i):
            first, last = self.operands(i)
            if first < i < last:
                left, right = (self.text[self.tokens[first].begin:token.begin], self.text[token.end:self.tokens[last].end])
                for new, kind in OPERATORS[token.text]:
                    yield from self.fault(first, last, left + new + right, kind)
                if token.text in ("&&", "||"):
                    yield from self.fault(first, last, self.code(first, i - 1), "logic")
        if token.text == "?":
            first = self.operand_begin(i, 0)
            if first < i:
                yield from self.fault(first, i - 1, f"!({self.code(first, i - 1)})", "negation")
        if token.text == "[" and self.mate.get(i) == i + 2 and self.tokens[i + 1].kind == "word" and self.in_block(i) and \
                (self.tokens[i - 1].kind == "word" or self.word(i - 1) in (")", "]")):
            yield from self.fault(i + 1, i + 1, "0", "first of several")
        if token.text == "}" and self.is_loop_over_all(i):
            yield from self.fault(i, i, "break;", "only the first", "end")
        if token.text in ("++", "--") and self.in_block(i) and self.tokens[i + 1].kind == "word":
            last = self.chain_end(i + 1) - 1
            yield from self.fault(i, last, {"++": "--", "--": "++"}[token.text] + self.code(i + 1, last), "arithmetic")
        if token.text == "{" and self.scopes[i] == "block" and not self.in_block(i) and self.word(i + 1) != "}":
            outer = self.scopes.get(self.parent[i]) if self.parent[i] is not None else "namespace"
            begin = self.statement_begin(i)
            if outer in ("namespace", "class") and "(" in self.head(begin):
                new = "return {};" if self.returns_value(begin) else "return;"
                yield from self.fault(i + 1, i + 1, new, "early return", "entry")

    def is_loop_over_all(self, end):
        """Whether the brace ends a loop of the form for (... : ...)."""
        head = self.mate.get(end, 0) - 1
        return self.ends_head(head, ["for"]) and \
            ":" in [self.word(j) for j in self.outer_words(self.mate[head] + 1, head)]

    def in_loop(self, i):
        """Whether a statement runs several times in its function, or where another calls it with each of several."""
        heads = [bracket - 1 for bracket in self.around(i) if self.scopes.get(bracket) == "block"]
        return any(self.ends_head(head, ("for", "while")) for head in [*heads, i - 1])

    def returns_value(self, begin):
        """Whether the function declared here does; constructors and destructors have no type at all."""
        words = self.head(begin)
        words = words[:words.index("(") - 1]
        if words[-1:] == ["~"]:
            words.pop()
        while words[-1:] == ["::"]:
            words = words[:-2]
        words = [word for word in words if word not in ("explicit", "inline", "constexpr", "[", "]", "nodiscard", "static")]
        return words not in ([], ["void"])

    def of_statement(self, i):
        word = self.word(i)
        end = self.statement_end(i)
        if self.word(end) != ";":
            return
        after = self.chain_end(i)
        assigns = self.word(after) in ASSIGNMENTS or self.word(after) == "="
        is_call = self.word(after) == ";" and after > i + 1
        is_named = word not in NOT_CALLED | {"static_cast", "delete"}
        if word in ("continue", "break", "throw") or is_named and (is_call or assigns):
            yield from self.fault(i, end, "", "removal", "statement")
        if assigns and self.in_loop(i):
            yield from self.fault(i, end, "", "kept from the first", "kept")
            yield from self.of_sum(i, after, end)
        if self.word(after) in ASSIGNMENTS:
            new = self.code(i, after - 1) + " " + ASSIGNMENTS[self.word(after)] + \
                self.text[self.tokens[after].end:self.tokens[end - 1].end]
            yield from self.fault(i, end - 1, new, "arithmetic")

    def of_sum(self, i, after, end):
        """What a loop collects in a place becomes what its last element gives: x += y, x = x && y, x = std::max(x, y)."""
        place, first = self.code(i, after - 1), after + 1
        if self.word(after) == "+=":
            yield from self.fault(i, end - 1, f"{place} = {self.code(first, end - 1)}", "last decides")
        if self.word(after) != "=":
            return
        if self.word(self.chain_end(first)) in ("&&", "||") and self.code(first, self.chain_end(first) - 1) == place:
            yield from self.fault(i, end - 1, f"{place} = {self.code(self.chain_end(first) + 1, end - 1)}", "last decides")
        bracket = next((j for j in range(first, end) if self.word(j) == "("), end)
        if self.word(bracket - 1) in ("min", "max") and self.mate.get(bracket) == end - 1:
            arguments = [self.code(*one) for one in self.arguments(bracket)]
            if len(arguments) == 2 and arguments[0] == place:
                yield from self.fault(i, end - 1, f"{place} = {arguments[1]}", "last decides")
