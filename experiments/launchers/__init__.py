"""Where the jobs of a sweep and the runs of a figure are made: processes of this machine, a Ray cluster, Slurm."""
