"""Benchmarks of the engine: CPU, memory and latency of the real thing, against canned servers on loopback.

The servers are processes of their own and answer from memory, so that the engine is what is measured. docs/performance.md
says what the figures mean, and what they leave out.
"""
