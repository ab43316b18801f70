"""Jobs as processes of this machine: what to run, as whom, with which Spark, and where its logs go."""
