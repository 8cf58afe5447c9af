"""The measures that keep the code readable: short functions and files, few imports per module, no cycles."""

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median, quantiles

import jumok.run.names

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
LONGEST_FILE = 450
LONGEST_MEDIAN, LONGEST_OF_95_PERCENT, LONGEST = 8, 28, 70
MOST_IMPORTED = 18
Function = ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path: Path) -> str:
    """The name under which a file of the package is imported."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted((SOURCE / "jumok").rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only a type checker reads."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from run_time_nodes(child)


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules that nodes import, at the top of a file or inside functions."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in FILES else node.module


# What each module of the package imports of the package when it runs, and what it names for a type checker too.
GRAPH = {name: set(imported(run_time_nodes(tree))) & FILES.keys() - {name} for name, tree in TREES.items()}
NAMED = {name: set(imported(ast.walk(tree))) & FILES.keys() - {name} for name, tree in TREES.items()}


def test_files_are_short():
    """Those of the package, its tests and its programs, and of the page but for its generated contract."""
    paths = [
        path for folder in ("src", "tests", "benchmarks", "docs", "tools") for path in (ROOT / folder).rglob("*.py")
    ]
    paths += [path for path in (ROOT / "web" / "src").rglob("*.ts") if path.name != "contract.ts"]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert len(lengths) > len(FILES)
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_functions_are_short():
    lengths = {
        f"{name}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    }
    assert median(lengths.values()) <= LONGEST_MEDIAN
    assert quantiles(lengths.values(), n=20)[-1] <= LONGEST_OF_95_PERCENT
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_nobody_but_models_and_config_asks_for_a_kind():
    """Parts answer for themselves, and what is built by its kind is a row of a table."""
    asked = re.compile(r"(frontend|encoder|decoder|head|side|config|model)\w*\.kind\s*(==|!=|in\b)")
    assert asked.search('if config.model.kind == "rnn":')
    others = {name: path for name, path in FILES.items() if not name.startswith(("jumok.models", "jumok.config"))}
    found = {name: asked.findall(path.read_text(encoding="utf-8")) for name, path in others.items()}
    assert {name: where for name, where in found.items() if where} == {}


def test_the_files_of_a_run_are_named_in_one_place():
    """Others write files of the same name in folders of another format: a model of Marian, an export."""
    names = {value for value in vars(jumok.run.names).values() if isinstance(value, str) and "." in value[:-1]}
    files = {name for name in names if name.endswith((".json", ".jsonl", ".safetensors", ".npz", ".svg", ".md"))}
    assert len(files) > 12
    theirs = ("jumok.run.names", "jumok.tasks.translation.marian.layout", "jumok.engine.ctranslate2_export")
    found = {
        (name, node.value)
        for name, tree in TREES.items()
        if name not in theirs
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in files
    }
    assert found == set()


def test_no_module_imports_many_others():
    assert {name: len(others) for name, others in NAMED.items() if len(others) > MOST_IMPORTED} == {}


def test_modules_import_each_other_in_one_direction():
    assert len(tuple(TopologicalSorter(GRAPH).static_order())) == len(FILES)  # raises CycleError, which names them
    # What the package itself gives is named above everything: nothing below takes it from there.
    assert [name for name, others in NAMED.items() if "jumok" in others] == []


def test_nothing_but_its_tests_imports_the_command_line():
    inside = {
        name: tree for name, tree in TREES.items() if not name.startswith("jumok.cli") and name != "jumok.__main__"
    }
    programs = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "benchmarks").glob("*.py")}
    assert len(programs) > 10
    found = {
        name: [one for one in imported(run_time_nodes(tree)) if one.startswith("jumok.cli")]
        for name, tree in (inside | programs).items()
    }
    assert {name: which for name, which in found.items() if which} == {}
