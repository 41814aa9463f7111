"""The papers' claims on data sets that the papers did not use: ``conf/figure/elsewhere_*.yaml``."""
