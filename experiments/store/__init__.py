"""The store: every run's settings, curve and provenance in an mlflow database; finished runs are found by their key.

Layout, below one folder (by default ``results/``)::

    mlflow.db                              mlflow's sqlite database: the one truth about which run has which status
    artifacts/<run id>/artifacts/          curve.parquet, result.json and a run's other files (mlflow's own layout)
    artifacts/<run id>/alive               locked by the process that computes the run
    .store.lock                            taken for every write

Why so:

* **One truth.** A run is finished when its tag ``status`` in the database says so, and that tag is the last thing that
  `RunHandle.finish` writes: after the artifacts are on disk under their final names (written beside, flushed,
  renamed) and after the metrics are in. The tag ``result_sha256`` ties result.json to the row, and result.json carries
  the checksum of curve.parquet, so an artifact that was lost, cut short or exchanged later is noticed, and the run
  counts as not done. A second index (files named by key) could disagree with the database after a crash.
* **Looking up needs no mlflow.** Importing mlflow takes more than a second; "is this run done?" is asked for every run
  of a sweep. Look-ups read a few columns of mlflow's tables with `sqlite3` (`database`); whether the schema is the one
  that the installed mlflow knows is decided from the names of its migration files (`schema`). Runs are *written* by
  mlflow, in one module (`mlflow_writer`), which imports it when the first run begins.
* **No lost or broken writes.** mlflow fails when several processes create a database at once, and sqlite makes writers
  poll for each other until they time out: every write happens under one `fcntl.flock` (`locks`), so writers queue
  instead. A new database is made beside its final name and renamed, so a killed creation leaves nothing that looks
  like a store.
* **A killed run is told from a living one** by a lock that dies with its process, not by guessing from times.
* **Nothing is written by opening.** The store comes into being with the first `Store.begin` (or `Store.create`).
* **A server is a mirror.** Several machines share runs by an mlflow server (`server`, `mirror`): each keeps a store
  of its own, the spool, so that everything above holds without the server, and uploads what has ended.
"""

from experiments.store.errors import StoreError
from experiments.store.finished import FinishedRun
from experiments.store.handle import RunHandle
from experiments.store.store import Store

__all__ = ["FinishedRun", "RunHandle", "Store", "StoreError"]
