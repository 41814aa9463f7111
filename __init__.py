"""The checkout as the package whose folders import each other: editors and tools that draw imports need it.

Nothing imports this file. What is installed is ``package/svm_cost_curves``, links to the same folders.
"""
