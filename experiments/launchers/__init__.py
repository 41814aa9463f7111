"""Launchers of a sweep's jobs and a figure's runs: processes of this machine, a Ray cluster, Slurm."""
