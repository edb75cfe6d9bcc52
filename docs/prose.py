"""Check the language of documents, docstrings, comments and contracts. Print a line per problem and
exit with 1.

python3 docs/prose.py
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/*.md", "*/README.md", "studies/*/README.md", "tests/*/README.md")
CODE = ("workflow", "envs", "docs", "benchmarks", "studies")
NAMES = re.compile(r"`+[^`]+`+|\b\w+:|\w+[/.(]\w+")  # code in texts, and parameters of docstrings
MOST_WORDS = 30
GENERATED = "<!-- Below:"
BANNED = re.compile(
    r"\b(says?|said|tells?|told|asks?|asked|knows?|stands|lies(?! (?:within|beyond))|anew|beneath"
    r"|beside|whoever|but for|drawn|deployed|scatter|of one's own|troubles|sittings?|stretch(es)?"
    r"|fences?|canary|canaries|parity card|atlas|plain PyTorch|processors|licence"
    r"|behaviours?|colours?|neighbours?|(?:optimi|normali|randomi|synchroni)s(?:e|ing|ation)\w*)\b",
    re.I,
)
OPENINGS = re.compile(r"(Of|What|Where|Nor|Nothing|Nobody|None|So is|So are|From a)\b")
NO_VERB = re.compile(
    r"(a|all|also|alone|an|another|any|are|as|at|be|both|by|each|every|false|few|for|from|how|if|in"
    r"|is|it|keyword|largest|ms|name|no|none|nothing|number|of|on|one|our|random|so|some|state|text"
    r"|that|the|there|this|three|to|true|two|what|where|whether|which|who|why|with|.*[^s]s)$"
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page, with code and links as single words."""
    text = text.partition(GENERATED)[0]
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^#.*$|^\|[-:| ]+\|$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)|https?://\S+|<[^>]*>", "", re.sub(r"`[^`]+`", "code", text))
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\||^\s*[-*] ", text, flags=re.M):
        yield from re.split(r"(?<=[.!?])[*\"')]*\s+", " ".join(part.split()).strip("*[ "))


def of_page(path: Path) -> Iterator[str]:
    """Yield the problems of a page."""
    for sentence in sentences(path.read_text("utf-8")):
        if len(sentence.split()) > MOST_WORDS:
            yield f"{len(sentence.split())} words: {sentence}"
        if found := BANNED.search(sentence):
            yield f"banned '{found[0]}': {sentence}"
        if OPENINGS.match(sentence) and sentence.endswith((".", ":", ";")):
            yield f"opening: {sentence}"


def of_code(path: Path) -> Iterator[str]:
    """Yield comments and docstrings with banned words, and docstrings without a leading verb."""
    code = path.read_text("utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    yield from banned(token.string for token in tokens if token.type == tokenize.COMMENT)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            yield from banned([ast.get_docstring(node) or ""])
        if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node)):
            names = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
            word = text.split()[0].rstrip(":,.;").lower()
            noun = NO_VERB.match(word) or not word.isalpha()
            if noun and not names & {"property", "cached_property"}:
                yield f"docstring of {node.name}: {text.splitlines()[0]}"


def banned(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts that have a banned word outside code."""
    for text in texts:
        if found := BANNED.search(NAMES.sub("", text)):
            yield f"banned '{found[0]}': {' '.join(text.split())}"


def main() -> int:
    """Print all problems and return the exit status."""
    pages = sorted({path for pattern in PAGES for path in ROOT.glob(pattern)})
    code = sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    problems = [(path, problem) for path in pages for problem in of_page(path)]
    problems += [(path, problem) for path in code for problem in of_code(path)]
    for path in (ROOT / "workflow/millistep/contracts").glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
        descriptions = (text for text in texts if isinstance(text, str))
        problems += [(path, problem) for problem in banned(descriptions)]
    for path, problem in problems:
        print(f"{path.relative_to(ROOT)}: {problem}")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
