"""Files, folders and locks that several processes share; text for messages. This package imports none of the others."""

if __name__ != "svm_cost_curves.support":
    raise ImportError("import svm_cost_curves.support: support is a folder of that package")
