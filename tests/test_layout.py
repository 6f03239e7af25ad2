"""The house stays one to live in: few doors a floor, a sentence at each, no two that are taken for each other."""

import ast
from collections import Counter
from collections.abc import Iterator
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


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for floor in FLOORS for path in modules(ROOT / floor)}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_nothing_but_the_app_itself_imports_the_app() -> None:
    assert not [path for floor in FLOORS for path in modules(ROOT / floor) if "tui" in imported(path)]
