"""Beating SGD: Learning SVMs in Sublinear Time (Hazan, Koren, Srebro 2011)."""
