"""A Kinesis stream that never runs dry: pages are put together from payloads that were encoded beforehand."""
