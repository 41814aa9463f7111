"""The report on a folder of figures: one HTML page for all papers (`pages`), a Markdown scorecard for each paper."""
