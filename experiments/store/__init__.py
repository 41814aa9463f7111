"""The store: settings, curve and provenance of every run in an mlflow database; finished runs are found by their key.

Layout, below one folder (by default ``results/``)::

    mlflow.db                              mlflow's sqlite database, which alone decides the status of a run
    artifacts/<run id>/artifacts/          curve.parquet, result.json and a run's other files (mlflow's own layout)
    artifacts/<run id>/alive               locked by the process of the run
    .store.lock                            taken for every write

Decisions:

* **The tag ``status`` decides.** `RunHandle.finish` writes it after the artifacts (written to a draft, flushed,
  renamed), in one transaction with the metrics. The tag ``result_sha256`` is the checksum of result.json, which
  contains the checksum of curve.parquet: a run with a missing or changed file counts as not done.
* **Runs are looked up and recorded by sqlite3.** mlflow's client takes more than a second to be imported, and then 0.15
  CPU seconds for the record of a run; `database` and `writer` read and write mlflow's tables in a tenth of that. A test
  compares the rows with those that the client writes. `schema` finds the installed mlflow's schema version in the names
  of its migration files, and refuses a database of another one. Only `mlflow_writer` imports mlflow: for the first
  database of a machine, and for servers.
* **Writers wait for a lock.** mlflow fails if several processes create a database at once, and sqlite's writers poll
  until they time out. So each write holds one `fcntl.flock` (`paths.write_lock`). A new database is written to a draft
  and renamed, so a killed process leaves no partial store.
* **A lock shows that a run is alive** (`paths.AliveLock`): it ends with the process.
* **Opening writes nothing.** The first `Store.begin` (or `Store.create`) creates the store.
* **A server is a mirror.** Machines share runs by an mlflow server (`server`, `mirror`). Each records its runs in its
  own store, the spool, which works without the server, and uploads ended runs.
"""

from experiments.store.errors import StoreError
from experiments.store.finished_run import FinishedRun
from experiments.store.run_handle import RunHandle
from experiments.store.store import Store

__all__ = ["FinishedRun", "RunHandle", "Store", "StoreError"]
