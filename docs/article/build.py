"""Build the article, article.pdf and article.html, from docs/article and the published runs in evidence/."""

from pathlib import Path

import typst

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path) -> list[Path]:
    """Write article.pdf and article.html to the folder, and return their paths.

    Raises `typst.TypstError` if the text names a number, claim or figure that the evidence does not have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "article.pdf", folder / "article.html"]
    for path in paths:
        # A warning says that the export to HTML is incomplete.
        written, _ = typst.compile_with_warnings(ROOT / "docs/article/article.typ", root=ROOT, format=path.suffix[1:])
        path.write_bytes(written)
    return paths


if __name__ == "__main__":
    for path in build(ROOT / "build/article"):
        print(path.relative_to(ROOT))
