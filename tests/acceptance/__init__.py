"""Long runs of the whole product through real Spark, which end in the audit's sums: what `scripts/acceptance` plays."""
