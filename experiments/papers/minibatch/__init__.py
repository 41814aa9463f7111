"""Takac, Bijral, Richtarik, Srebro: Mini-Batch Primal and Dual Methods for SVMs (ICML 2013)."""
