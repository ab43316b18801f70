"""Renderers of a blueprint: the bootstrap's templates and policies, and pipelines of CI."""
