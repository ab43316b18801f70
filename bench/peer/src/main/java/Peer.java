import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.snowflake.ingest.streaming.SnowflakeStreamingIngestChannel;
import com.snowflake.ingest.streaming.SnowflakeStreamingIngestClient;
import com.snowflake.ingest.streaming.SnowflakeStreamingIngestClientFactory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.kinesis.common.ConfigsBuilder;
import software.amazon.kinesis.common.InitialPositionInStream;
import software.amazon.kinesis.common.InitialPositionInStreamExtended;
import software.amazon.kinesis.coordinator.Scheduler;
import software.amazon.kinesis.exceptions.KinesisClientLibException;
import software.amazon.kinesis.lifecycle.events.InitializationInput;
import software.amazon.kinesis.lifecycle.events.LeaseLostInput;
import software.amazon.kinesis.lifecycle.events.ProcessRecordsInput;
import software.amazon.kinesis.lifecycle.events.ShardEndedInput;
import software.amazon.kinesis.lifecycle.events.ShutdownRequestedInput;
import software.amazon.kinesis.metrics.NullMetricsFactory;
import software.amazon.kinesis.processor.ShardRecordProcessor;
import software.amazon.kinesis.retrieval.KinesisClientRecord;
import software.amazon.kinesis.retrieval.polling.PollingConfig;

/**
 * What a team would write instead: the Kinesis Client Library by polling, Jackson, and Snowflake's own SDK for Java. The rows, and how
 * much is sent at once and may be unsent, are those of the engine; a checkpoint every five seconds, behind what Snowflake has. It reads
 * by HTTP/1.1, as the engine does: the library's own choice, HTTP/2, is none that the canned Kinesis speaks.
 *
 * <p>Environment: KINESIS, DYNAMODB, SNOWFLAKE (URLs), KEY (a PEM file).
 */
public final class Peer {
    private static final int APPEND_BYTES = 400_000, UNSENT_BYTES = 600_000, CHECKPOINT_MS = 5_000, HEAD_BYTES = 300, CONNECTIONS = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<LinkedHashMap<String, Object>> OBJECT = new TypeReference<>() {};

    private Peer() {}

    /** One shard: its records to rows, its rows into a channel of its own. */
    private static final class Processor implements ShardRecordProcessor {
        private final SnowflakeStreamingIngestClient snowflake;
        private String shard;
        private SnowflakeStreamingIngestChannel channel;
        private long checkpointed = System.currentTimeMillis(), unsent;

        Processor(SnowflakeStreamingIngestClient snowflake) {
            this.snowflake = snowflake;
        }

        @Override
        public void initialize(InitializationInput input) {
            shard = input.shardId();
            channel = snowflake.openChannel(shard, null).getChannel();
        }

        @Override
        public void processRecords(ProcessRecordsInput input) {
            List<Map<String, Object>> rows = new ArrayList<>();
            long size = 0;
            String first = null, last = null;
            for (KinesisClientRecord record : input.records()) {
                byte[] data = new byte[record.data().remaining()];
                record.data().get(data);
                rows.add(row(record, data));
                size += data.length + HEAD_BYTES;
                last = record.sequenceNumber();
                first = first == null ? last : first;
                if (size > APPEND_BYTES) {
                    send(rows, size, first, last);
                    rows = new ArrayList<>();
                    size = 0;
                    first = null;
                }
            }
            if (!rows.isEmpty()) send(rows, size, first, last);
            if (last != null && System.currentTimeMillis() - checkpointed > CHECKPOINT_MS) checkpoint(input);
        }

        private Map<String, Object> row(KinesisClientRecord record, byte[] data) {
            Map<String, Object> row = new LinkedHashMap<>(), metadata = new LinkedHashMap<>();
            metadata.put("stream", "orders");
            metadata.put("shardId", shard);
            metadata.put("approximateArrival", record.approximateArrivalTimestamp().toString());
            metadata.put("partitionKey", record.partitionKey());
            metadata.put("sequenceNumber", record.sequenceNumber());
            metadata.put("subSequenceNumber", record.subSequenceNumber());
            metadata.put("shardedSequenceNumber", record.sequenceNumber() + "00000000000000000000");
            row.put("KINESISMETADATA", metadata);
            try {
                row.putAll(JSON.readValue(data, OBJECT));
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
            return row;
        }

        private void send(List<Map<String, Object>> rows, long size, String first, String last) {
            if (unsent > 0 && unsent + size > UNSENT_BYTES) flush();
            unsent += size;
            channel.appendRows(rows, first, last);
        }

        private void flush() {
            try {
                channel.waitForFlush(PATIENCE).get();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
            unsent = 0;
        }

        private void checkpoint(ProcessRecordsInput input) {
            checkpointed = System.currentTimeMillis();
            flush();
            channel.getLatestCommittedOffsetToken();
            try {
                input.checkpointer().checkpoint();
            } catch (KinesisClientLibException error) {
                System.err.println("checkpoint: " + error);
            }
        }

        @Override
        public void leaseLost(LeaseLostInput input) {}

        @Override
        public void shardEnded(ShardEndedInput input) {
            try {
                input.checkpointer().checkpoint();
            } catch (KinesisClientLibException error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        public void shutdownRequested(ShutdownRequestedInput input) {}
    }

    public static void main(String[] arguments) throws Exception {
        SnowflakeStreamingIngestClient snowflake = snowflake(URI.create(System.getenv("SNOWFLAKE")));
        URI dynamodb = URI.create(System.getenv("DYNAMODB"));
        var credentials = StaticCredentialsProvider.create(AwsBasicCredentials.create("bench", "bench"));
        var transport = NettyNioAsyncHttpClient.builder().protocol(Protocol.HTTP1_1).maxConcurrency(CONNECTIONS);
        var kinesis = KinesisAsyncClient.builder().httpClientBuilder(transport).endpointOverride(URI.create(System.getenv("KINESIS")))
                .region(Region.US_EAST_1).credentialsProvider(credentials).build();
        var leases = DynamoDbAsyncClient.builder().endpointOverride(dynamodb).region(Region.US_EAST_1)
                .credentialsProvider(credentials).build();
        var metrics = CloudWatchAsyncClient.builder().endpointOverride(dynamodb).region(Region.US_EAST_1)
                .credentialsProvider(credentials).build();
        var configs = new ConfigsBuilder("orders", "peer-" + UUID.randomUUID(), kinesis, leases, metrics,
                UUID.randomUUID().toString(), () -> new Processor(snowflake));
        var horizon = InitialPositionInStreamExtended.newInitialPosition(InitialPositionInStream.TRIM_HORIZON);
        var polling = new PollingConfig("orders", kinesis);
        polling.idleTimeBetweenReadsInMillis(200);
        var retrieval = configs.retrievalConfig();
        retrieval.retrievalSpecificConfig(polling);
        retrieval.initialPositionInStreamExtended(horizon);
        var management = configs.leaseManagementConfig();
        management.initialPositionInStream(horizon);
        new Scheduler(configs.checkpointConfig(), configs.coordinatorConfig(), management, configs.lifecycleConfig(),
                configs.metricsConfig().metricsFactory(new NullMetricsFactory()), configs.processorConfig(), retrieval).run();
    }

    /** By plain HTTP: the SDK's core trusts its own roots alone. */
    private static SnowflakeStreamingIngestClient snowflake(URI url) throws IOException {
        Properties properties = new Properties();
        for (String name : new String[] {"account", "user", "role"}) properties.put(name, "BENCH");
        properties.put("url", url.toString());
        properties.put("host", url.getHost());
        properties.put("port", Integer.toString(url.getPort()));
        properties.put("scheme", "http");
        properties.put("ssl", "off");
        properties.put("private_key", Files.readString(Path.of(System.getenv("KEY"))));
        return SnowflakeStreamingIngestClientFactory.builder("peer", "DB", "RAW", "ORDERS-STREAMING").setProperties(properties).build();
    }
}
