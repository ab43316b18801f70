import * as firnline from "@firnline/firnline";
import * as pulumi from "@pulumi/pulumi";

// The public halves of the Snowflake users' keys, by user: pulumi config set --path publicKeys.ingest "$(cat ingest.pub)"
const keys = new pulumi.Config().requireObject<{ ingest: string; reader: string }>("publicKeys");

const environment = new firnline.Environment("local", {
    name: "local",
    durability: "EPHEMERAL",
    aws: {
        region: "us-east-1",
        account: "000000000000",
        key: { origin: "skip" },
        bucket: { origin: "skip" },
        runtime: { trust: "nobody" },
    },
    snowflake: {
        account: "FIRNLINE-LOCAL",
        warehouse: "COMPUTE_WH",
        ingest: { publicKeys: { slot1: keys.ingest } },
        reader: { publicKeys: { slot1: keys.reader } },
    },
    streams: [{ name: "orders", shards: 4, retentionHours: 24 }],
    pipelines: [
        {
            stream: "orders",
            database: "FIRNLINE",
            schema: "RAW",
            table: "ORDERS",
            schemaEvolution: true, // first-level keys become columns
            errorLogging: true, // rejected rows are kept in ERROR_TABLE(FIRNLINE.RAW.ORDERS)
            rowTimestamp: true,
            initialPosition: { at: "TRIM_HORIZON" },
        },
    ],
    epoch: { seconds: 10 },
});

export = environment.outputs; // what the firnline command reads of a stack
