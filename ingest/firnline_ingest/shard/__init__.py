"""Taking one shard from Kinesis to proven rows. No Spark here: a group of shards runs in any process."""
