"""What `firnline keys` asks of AWS, each action with the reason: to see and replace private keys, and nothing around them.

The deployer is not allowed it: it sees no secret's value. Tests compare these with the calls of the commands.
"""

FIND_SECRET = {
    "secretsmanager:DescribeSecret": "Which version has which stage, and whose secret it is.",
    "secretsmanager:CreateSecret": "The first key is made before the first `up`.",
    "secretsmanager:TagResource": "The tags by which `up` knows the secret as its own.",
}
KEEP_SECRET = {
    **FIND_SECRET,
    "secretsmanager:GetSecretValue": "Tells keys apart by their fingerprints; tries the reader's new key.",
    "secretsmanager:PutSecretValue": "Keeps a private key that waits for its registration.",
    "secretsmanager:UpdateSecretVersionStage": "Makes the new key the one that the engine reads.",
}
KEEP_ACCESS_KEY = {
    **FIND_SECRET,
    "secretsmanager:PutSecretValue": "Keeps the access key. Nobody has to read it back.",
}
USE_SECRETS_KEY = dict.fromkeys(
    ("kms:GenerateDataKey", "kms:Decrypt"),
    'Secrets Manager asks for it in the caller\'s name (its guide, "Secret encryption and decryption").',
)
SEE_RUN = {"dynamodb:GetItem": "The engine writes into its run's item which key it uses; the old one goes after that."}
USE_LEDGERS_KEY = {"kms:Decrypt": "DynamoDB opens the table's key in the caller's name."}
MAKE_ACCESS_KEY = {
    "iam:ListAccessKeys": "A user that has a key gets no second one.",
    "iam:CreateAccessKey": "Makes the key of the engine's user, into that secret.",
    "iam:DeleteAccessKey": "Where its secret half could not be kept.",
}

ABOUT = {
    "KeepPrivateKeys": "The secrets of the private keys.",
    "KeyOfSecrets": "An adopted key, only through Secrets Manager. A key that `up` makes comes too late for secrets.",
    "SeeRun": "The ledger's table, only the item of the engine's own run.",
    "KeyOfLedger": "The table's key, only through DynamoDB, only for this table.",
    "KeepAccessKey": "With `trust: static-keys`: a secret of its own for the engine's access key.",
    "MakeAccessKey": "With `trust: static-keys`: the engine's user.",
}
"""By Sid."""
