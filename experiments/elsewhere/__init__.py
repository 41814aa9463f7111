"""The data sets beside those of the papers, on which every claim is judged again: docs/elsewhere.md."""
