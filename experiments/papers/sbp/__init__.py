"""Cotter, Shalev-Shwartz, Srebro: The Kernelized Stochastic Batch Perceptron (ICML 2012)."""
