"""What is rendered from a blueprint: the bootstrap's templates and policies, and pipelines of CI."""
