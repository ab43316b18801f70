"""AWS resources of the embedded environment: one row a type of pulumi-aws, one file a family."""
