"""Names that a configuration and a specification share."""

from typing import Literal

from firnline_ingest.config.form import Form, name_form

APPLICATION = name_form(1, 64, example="firnline-dev")
AwsService = Literal["kinesis", "dynamodb", "secretsmanager", "s3", "sts", "glue"]
ROLE = Form(
    r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,576}",
    "the ARN of a role",
    "arn:aws:iam::222233334444:role/firnline-orders-reader",
)
EXTERNAL_ID = Form(r"[\w+=,.@:/-]{2,1224}", "2 to 1,224 letters, digits and _ + = , . @ : / -", "firnline-4f1c")
