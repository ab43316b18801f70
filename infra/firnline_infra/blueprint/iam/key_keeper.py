"""What `firnline keys` asks of AWS, as data: to see and replace private keys, and nothing around them.

The deployer is not allowed it: it sees no secret's value. Tests compare these with what the embedded AWS was asked.
"""

KEEP_SECRET = (
    *("secretsmanager:DescribeSecret", "secretsmanager:CreateSecret", "secretsmanager:TagResource"),
    *("secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue", "secretsmanager:UpdateSecretVersionStage"),
)
KEEP_ACCESS_KEY = (
    *("secretsmanager:DescribeSecret", "secretsmanager:CreateSecret", "secretsmanager:TagResource"),
    "secretsmanager:PutSecretValue",
)
"""Nobody has to read an access key back."""
USE_SECRETS_KEY = ("kms:GenerateDataKey", "kms:Decrypt")
"""What Secrets Manager asks for in the caller's name (its guide, "Secret encryption and decryption")."""
SEE_RUN = ("dynamodb:GetItem",)
"""The engine writes into its run's row of the ledger which key it uses."""
USE_LEDGERS_KEY = ("kms:Decrypt",)
MAKE_ACCESS_KEY = ("iam:CreateAccessKey", "iam:DeleteAccessKey")
"""The second where its secret half could not be kept."""
