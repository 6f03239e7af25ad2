"""The house stays one to live in: few doors a floor, a sentence at each, no two that are taken for each other."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ("kb", "tools", "assistant", "screens")


def modules(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*.py")) if "__pycache__" not in path.parts)


def packages() -> list[Path]:
    return [path.parent for floor in FLOORS for path in modules(ROOT / floor) if path.name == "__init__.py"]


def doors(package: Path) -> list[str]:
    """The names of the modules and packages in a package."""
    inside = [one for one in package.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()]
    return sorted(one.stem for one in inside if one.stem != "__init__")


def imported(path: Path) -> set[str]:
    """The first names of all that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_the_first_floor_of_the_assistant_is_seen_at_a_glance() -> None:
    assert len(doors(ROOT / "assistant")) <= 10


@pytest.mark.parametrize("package", packages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_sentence_stands_at_the_head_of_every_package(package: Path) -> None:
    sentence = ast.get_docstring(ast.parse((package / "__init__.py").read_text()))
    assert sentence
    assert sentence.endswith(".")


def test_no_two_doors_of_the_house_have_one_name_or_differ_by_an_s() -> None:
    names = Counter(name for package in packages() for name in doors(package) if name != "__main__")
    assert not [name for name, count in names.items() if count > 1 or name + "s" in names]


def test_no_two_public_classes_differ_by_an_s() -> None:
    trees = [ast.parse(path.read_text()) for floor in (*FLOORS, "clew") for path in modules(ROOT / floor)]
    names = {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}
    assert not [name for name in names if not name.startswith("_") and f"{name}s" in names]


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for floor in FLOORS for path in modules(ROOT / floor)}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_nothing_but_the_app_itself_imports_the_app() -> None:
    assert not [path for floor in FLOORS for path in modules(ROOT / floor) if "tui" in imported(path)]


def test_the_command_that_opens_the_chat_alone_knows_the_app_by_its_name() -> None:
    inside = [path for floor in FLOORS for path in modules(ROOT / floor)]
    by_name = re.compile(r"""(?:import_module|__import__)\(["']tui\b""")
    assert [path for path in inside if by_name.search(path.read_text())] == [ROOT / "assistant/commands/ask.py"]


def named_doors(package: Path) -> set[str]:
    """What a package's `__all__` names."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return set(names)
    return set()


@cache
def entered() -> dict[str, set[str]]:
    """For each package what is in it that something outside imports, the registry's tools as well."""
    inside = [path for floor in FLOORS for path in modules(ROOT / floor)]
    known = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in inside}
    known |= {".".join(path.relative_to(ROOT).parts) for path in packages()}
    found: dict[str, set[str]] = {".".join(path.relative_to(ROOT).parts): set() for path in packages()}
    for importer in (*inside, ROOT / "tui.py", ROOT / "clew" / "__init__.py"):
        own = ".".join(importer.relative_to(ROOT).with_suffix("").parts)
        for target in _targets(importer) & known:
            parts = target.split(".")
            for depth in range(1, len(parts)):
                package = ".".join(parts[:depth])
                # The registry is inside, but whom it names is called from outside.
                if package in found and (own == "tools.registry" or not own.startswith(f"{package}.")):
                    found[package].add(parts[depth])
    return found


def _targets(path: Path) -> set[str]:
    """All modules that a module imports, and those that it names as `module:function`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("tools."):
            found.add(node.value.partition(":")[0])
    return found


@pytest.mark.parametrize("package", packages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_names_the_doors_that_others_come_in_by(package: Path) -> None:
    assert named_doors(package) == entered()[".".join(package.relative_to(ROOT).parts)]


def test_whoever_imports_what_is_installed_sees_its_types() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    installed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert {*FLOORS, "clew"} == {name for name in installed if (ROOT / name / "py.typed").exists()}


LINES = 30
"""By which a module may grow or shrink before the table of the largest has to follow."""


def test_the_ten_largest_modules_are_told_in_their_order() -> None:
    every = [*(path for floor in FLOORS for path in modules(ROOT / floor)), ROOT / "tui.py"]
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in every}
    table = (ROOT / "docs" / "architecture.md").read_text().partition("### The ten largest")[2].partition("###")[0]
    told = re.findall(r"^\| ([\w/]+\.py) \|", table, re.MULTILINE)
    assert len(told) == 10
    assert all(sizes[one] + LINES >= sizes[other] for one, other in pairwise(told))
    smallest = min(sizes[one] for one in told)
    assert not [name for name, size in sizes.items() if name not in told and size > smallest + LINES]


PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_the_table_of_packages_has_those_of_now_and_about_their_lines() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text().partition("\nbefore ")[2].partition("```")[0]
    told = {
        name: int(lines.replace(",", "")) for name, lines in re.findall(r"(\S+) +\d+ +([\d,]+)$", table, re.MULTILINE)
    }
    sizes = Counter({"tui.py": len((ROOT / "tui.py").read_text().splitlines())})
    for path in (path for floor in (*FLOORS, "clew") for path in modules(ROOT / floor)):
        first, *others = path.relative_to(ROOT).parts
        sizes[f"{first}/{others[0]}" if len(others) > 1 else f"{first}/"] += len(path.read_text().splitlines())
    sizes["all"] = sum(sizes.values())
    assert told.keys() == sizes.keys()
    assert not [name for name, lines in sizes.items() if abs(told[name] - lines) > max(100, lines / 10)]


def test_what_the_docs_name_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py|(?:kb|tools|assistant|screens|benchmarks|tests)/[\w/]+)`", _pages())
    assert len(named) > 200
    ends = [
        f"/{path.relative_to(ROOT)}" for floor in (*FLOORS, "benchmarks", "tests") for path in modules(ROOT / floor)
    ]
    gone = {"tools/answers/guess.py", "rank.py"}  # which docs/results.md tells to have gone
    to_come = {name for name in named if re.search("NAME|GROUP", name)} | {"sqlean.py"}  # which is a package
    lost = {name for name in named if not (ROOT / name).exists() and not any(one.endswith(f"/{name}") for one in ends)}
    assert lost - to_come == gone


def test_every_package_stands_in_the_drawing_of_the_house() -> None:
    drawing = (ROOT / "docs" / "architecture.md").read_text().split("```")[3]
    assert not [one for one in packages() if f"{one.name}/" not in drawing]
    assert not [name for name in doors(ROOT / "kb") if f"{name}.py" not in drawing and f"{name}/" not in drawing]


def test_what_the_docs_name_in_a_module_is_there() -> None:
    named = re.findall(r"`([\w/]+/\w+\.py|tui\.py)`, `(\w+)`", _pages())
    named += [(path, name) for name, path in re.findall(r"`(\w+)` in `([\w/]+\.py)`", _pages())]
    assert len(named) > 5
    assert not [(path, name) for path, name in named if name not in _defined(ROOT / path)]


@pytest.mark.parametrize("package", ["tools/planning", "tools/answer_rules"])
def test_what_each_module_of_rules_is_for_is_told_once(package: str) -> None:
    told = (ROOT / "docs" / "architecture.md").read_text().partition(f"`{package}/`")[2].partition("\n\n|")[2]
    rows = re.findall(r"^\|? ?(`.+?) \|", told.partition("\n\n")[0], re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)\.py`", " ".join(rows))) == doors(ROOT / package)


def _pages() -> str:
    return "".join(page.read_text() for page in PAGES)


def _defined(path: Path) -> set[str]:
    """The names that a module gives to something, methods and class variables included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found
