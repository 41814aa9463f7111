"""The Stochastic Gradient Descent for the Primal L1-SVM Optimization Revisited (Panagiotakopoulos, Tsampouka 2013)."""
