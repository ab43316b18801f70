"""The files beside a specification that go into the engine's archive: Python of one's own, and the wheel of machine code.

Nothing of them is run: a Python file is read, and has to say at its first level what a callable names.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from firnline_infra.specification.model import EnvironmentSpec

PLACE, WHEEL = "aws.runtime.modules", "aws.runtime.native_wheel"


def with_modules(spec: EnvironmentSpec, folder: Path) -> tuple[EnvironmentSpec, list[str]]:
    """The specification with whole paths, and a problem for each that is not there or lacks what a callable names."""
    given, wheel = spec.aws.runtime.modules, spec.aws.runtime.native_wheel
    whole = [str((folder / path).resolve()) for path in given]
    missing = [
        f"{PLACE}[{place}]: there is no file NAME.py and no folder of a package at {path!r}, beside the specification"
        for place, (path, found) in enumerate(zip(given, whole, strict=True))
        if not _is_module(Path(found))
    ]
    missing += [
        f"{PLACE}[{place}]: {link} leads out of {path}, and what is there would go into the archive; copy it"
        for place, (path, found) in enumerate(zip(given, whole, strict=True))
        for link in _ways_out(Path(found))
    ]
    if wheel is not None and not (folder / wheel).is_file():
        missing.append(
            f"{WHEEL}: there is no file {wheel!r}, beside the specification; docs/build.md says where wheels are"
        )
    if missing:
        return spec, missing
    native = None if wheel is None else str((folder / wheel).absolute())  # its name says what it is, also of a link
    runtime = spec.aws.runtime.model_copy(update={"modules": whole, "native_wheel": native})
    found = spec.model_copy(update={"aws": spec.aws.model_copy(update={"runtime": runtime})})
    return found, list(_callables_that_are_absent(found))


def _is_module(path: Path) -> bool:
    name = path.stem if path.is_file() and path.suffix == ".py" else path.name if path.is_dir() else ""
    return name.isidentifier()


def _ways_out(root: Path) -> Iterator[str]:
    """Links to files that are elsewhere: what a folder shows is all that is taken of it."""
    if root.is_dir():
        files = (
            file for file in sorted(root.rglob("*")) if file.is_symlink() and file.is_file() and is_shipped(file, root)
        )
        yield from (str(file.relative_to(root.parent)) for file in files if not file.resolve().is_relative_to(root))


def is_shipped(file: Path, root: Path) -> bool:
    """No hidden file or folder, as environments and credentials are, and nothing that Python makes again."""
    parts = file.relative_to(root).parts
    return file.suffix != ".pyc" and "__pycache__" not in parts and not any(part.startswith(".") for part in parts)


def _callables_that_are_absent(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses callables whose modules are nowhere. If the engine runs from an image, or is started by hand, they may be
    there already."""
    runtime = spec.aws.runtime
    if not runtime.modules and (runtime.job is None or runtime.kubernetes is not None):
        return
    for place, pipeline in enumerate(spec.pipelines):
        for number, transform in enumerate(pipeline.transforms):
            for path in transform.functions:
                if problem := _problem(path, runtime.modules):
                    yield f"pipelines[{place}].transforms[{number}].callable: {problem}"
        function = pipeline.query.function if pipeline.query is not None else None
        if function is not None and (problem := _problem(function, runtime.modules)):
            yield f"pipelines[{place}].query.function: {problem}"


def _problem(callable_: str, modules: Sequence[str]) -> str | None:
    module, _, name = callable_.partition(":")
    top, *rest = module.split(".")
    root = next((Path(path) for path in modules if Path(path).stem == top), None)
    if root is None:
        return f"{module} is in none of {PLACE}, so the engine's archive would not have it"
    file = root if root.is_file() else root.joinpath(*rest)
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    if not file.is_file() or (root.is_file() and rest):
        return f"{root.name} has no module {module}"
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        return f"{file.name} is not Python: {error}"
    return None if name in set(_names(tree)) else f"{module} has no {name} at its first level"


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                yield from (each.asname or each.name for each in node.names)
            case ast.Assign():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
