"""Files, folders and locks that several processes share; text for messages. This package imports none of the others."""

if __name__ != "svm_cost_curves.support":
    raise ImportError("write svm_cost_curves.support for support: the folders of this checkout are one package")
