"""ASSET, approximate stochastic subgradient estimation training (Lee, Wright 2011)."""
