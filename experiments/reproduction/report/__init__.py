"""From a folder of figures to a page: the scorecard of all papers in HTML, that of one paper in Markdown.

`collect` reads the folder and takes nothing for granted, `words` says things in words, `page` and `markdown` write.
"""

from experiments.reproduction.report.markdown import write_markdown
from experiments.reproduction.report.page import write_report

__all__ = ["write_markdown", "write_report"]
