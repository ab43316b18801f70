"""The answer to `:pipe-info`, which the SDK asks for before anything else. Undocumented: its fields are those that SDK
1.9.1 and Openflow read.

Which lane rows take is the SDK's own decision: where up to about 1 MB of a channel waits to be sent it sends rows, for more
it uploads a file and names it. No parameter of this answer changes that (measured); the client property
`max_buffered_kb_for_rowset_mode` does. The upload would go to `storage_endpoint`, which is this server, so that it fails
at once and says why, instead of trying S3 for hours.
"""

import base64
from datetime import datetime, timedelta
from typing import Any

from firnline_local.snowflake.catalog import Pipe

STAGE = "firnline-has-no-file-lane"
"""The bucket of the stage, and so the first segment of an upload's path."""
LIFETIME = timedelta(days=1)
PARAMETERS = {
    "max_client_lag_seconds": 1,
    "rowset_flush_threshold_kb": 60_000,
    "max_buffered_kb_for_rowset_mode": 60_000,
    "rowset_threshold_lookback_seconds": 10,
    "rowset_threshold_ewma_weight": 50,
    "rowset_threshold_for_rowset_mode": 255,
    "target_file_size_compressed_mb": 16,
    "cpu_throttle_high_watermark_percent": 99,
    "cpu_throttle_low_watermark_percent": 98,
    "mem_throttle_high_watermark_percent": 99,
    "mem_throttle_low_watermark_percent": 98,
}


def pipe_info(pipe: Pipe, *, host_and_port: str, now: datetime) -> dict[str, Any]:
    stage = {
        "expiry_time_ms": int((now + LIFETIME).timestamp() * 1000),
        "location_type": "S3",
        "location": f"{STAGE}/{pipe.id}/",
        "path": f"{STAGE}/{pipe.id}/",
        "bucket_name": STAGE,
        "path_prefix": f"{pipe.id}/",
        "region": "us-east-1",
        "use_s3_regional_url": False,
        "storage_account": None,
        "storage_endpoint": host_and_port,
        "is_client_side_encrypted": True,
        "creds": {"AWS_KEY_ID": "none", "AWS_SECRET_KEY": "none", "AWS_TOKEN": "none"},
        "parameters": PARAMETERS,
    }
    return {
        "rowset_stage_location": stage,
        "durable_stage_location": stage,
        "encryption_info": {"pipe_key": base64.b64encode(bytes(32)).decode(), "pipe_key_id": 1, "diversifier": "0"},
        "parameter_overrides": {"max_append_request_buffer_duration_ms": 100, "binary_input_format": "BASE64"},
    }
