"""EMR on EC2: clusters, whose steps are processes of this machine, and a YARN of Hadoop's own."""
