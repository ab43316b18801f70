import java.net.URI;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.*;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.kinesis.common.*;
import software.amazon.kinesis.coordinator.Scheduler;
import software.amazon.kinesis.lifecycle.events.*;
import software.amazon.kinesis.metrics.NullMetricsFactory;
import software.amazon.kinesis.processor.*;
import software.amazon.kinesis.retrieval.KinesisClientRecord;
import software.amazon.kinesis.retrieval.RetrievalSpecificConfig;
import software.amazon.kinesis.retrieval.fanout.FanOutConfig;
import software.amazon.kinesis.retrieval.polling.PollingConfig;

/**
 * The Kinesis Client Library's own consumer, 2.x or 3.x, against endpoints that it is given.
 *
 * Prints a line a user record that it has taken in (shard, sequence number, sub-sequence number, data), and checkpoints the
 * last of them. A shard of which it has taken `most` takes no more: its checkpoint may then lie inside an aggregate. Ends when
 * its standard input does.
 */
public final class Consumer {
    private static final Map<String, AtomicInteger> TAKEN = new ConcurrentHashMap<>();

    public static void main(String[] arguments) throws Exception {
        String application = arguments[0], streams = arguments[1], kinesisUrl = arguments[2], dynamoUrl = arguments[3];
        int most = Integer.parseInt(arguments[4]);
        var position = InitialPositionInStreamExtended.newInitialPosition(InitialPositionInStream.valueOf(arguments[5]));
        boolean fanOut = arguments.length > 6 && arguments[6].equals("fan-out");
        var credentials = StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "secret"));
        var kinesis = KinesisAsyncClient.builder().region(Region.US_EAST_1).credentialsProvider(credentials)
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().protocol(fanOut ? Protocol.HTTP2 : Protocol.HTTP1_1))
            .endpointOverride(URI.create(kinesisUrl)).build();
        var dynamo = DynamoDbAsyncClient.builder().region(Region.US_EAST_1).credentialsProvider(credentials)
            .endpointOverride(URI.create(dynamoUrl)).build();
        var cloudwatch = CloudWatchAsyncClient.builder().region(Region.US_EAST_1).credentialsProvider(credentials)
            .endpointOverride(URI.create(dynamoUrl)).build();
        ShardRecordProcessorFactory factory = new ShardRecordProcessorFactory() {
            @Override public ShardRecordProcessor shardRecordProcessor() { return new Processor(most); }
            @Override public ShardRecordProcessor shardRecordProcessor(StreamIdentifier id) { return new Processor(most); }
        };
        String worker = "worker-" + UUID.randomUUID();
        boolean several = streams.contains(":");
        ConfigsBuilder configs = several
            ? new ConfigsBuilder(new Tracker(streams, position), application, kinesis, dynamo, cloudwatch, worker, factory)
            : new ConfigsBuilder(new SingleStreamTracker(StreamIdentifier.singleStreamInstance(streams), position),
                application, kinesis, dynamo, cloudwatch, worker, factory);
        RetrievalSpecificConfig retrieval;
        if (fanOut) {
            retrieval = new FanOutConfig(kinesis).streamName(streams).applicationName(application);
        } else {
            var polling = several ? new PollingConfig(kinesis) : new PollingConfig(streams, kinesis);
            polling.idleTimeBetweenReadsInMillis(250);
            retrieval = polling;
        }
        var leases = configs.leaseManagementConfig();
        leases.failoverTimeMillis(3000);
        leases.shardSyncIntervalMillis(2000);
        var coordinator = configs.coordinatorConfig();
        coordinator.parentShardPollIntervalMillis(500);
        coordinator.shardConsumerDispatchPollIntervalMillis(200);
        var scheduler = new Scheduler(configs.checkpointConfig(), coordinator, leases, configs.lifecycleConfig(),
            configs.metricsConfig().metricsFactory(new NullMetricsFactory()), configs.processorConfig(),
            configs.retrievalConfig().retrievalSpecificConfig(retrieval));
        var thread = new Thread(scheduler);
        thread.setDaemon(true);
        thread.start();
        System.out.println("started " + worker);
        while (System.in.read() >= 0) { }
        try {
            System.out.println("stopped " + scheduler.startGracefulShutdown().get(40, TimeUnit.SECONDS));
        } finally {
            System.out.flush();
            System.exit(0);
        }
    }

    private static final class Tracker implements MultiStreamTracker {
        private final List<StreamConfig> streams = new ArrayList<>();

        Tracker(String identifiers, InitialPositionInStreamExtended position) {
            for (String each : identifiers.split(",")) {
                streams.add(new StreamConfig(StreamIdentifier.multiStreamInstance(each), position));
            }
        }

        @Override public List<StreamConfig> streamConfigList() { return streams; }

        @Override public FormerStreamsLeasesDeletionStrategy formerStreamsLeasesDeletionStrategy() {
            return new FormerStreamsLeasesDeletionStrategy.NoLeaseDeletionStrategy();
        }
    }

    private static final class Processor implements ShardRecordProcessor {
        private final int most;
        private String shard;

        Processor(int most) { this.most = most; }

        @Override public void initialize(InitializationInput input) { shard = input.shardId(); }

        @Override public void processRecords(ProcessRecordsInput input) {
            AtomicInteger taken = TAKEN.computeIfAbsent(shard, ignored -> new AtomicInteger());
            KinesisClientRecord last = null;
            for (KinesisClientRecord record : input.records()) {
                if (taken.get() >= most) break;
                byte[] data = new byte[record.data().remaining()];
                record.data().get(data);
                System.out.println("record " + shard + " " + record.sequenceNumber() + " " + record.subSequenceNumber() + " " + new String(data));
                taken.incrementAndGet();
                last = record;
            }
            try {
                if (last != null) input.checkpointer().checkpoint(last.sequenceNumber(), last.subSequenceNumber());
            } catch (Exception error) {
                System.out.println("failed " + error);
            }
            System.out.flush();
        }

        @Override public void leaseLost(LeaseLostInput input) { }

        @Override public void shardEnded(ShardEndedInput input) {
            try {
                input.checkpointer().checkpoint();
                System.out.println("ended " + shard);
            } catch (Exception error) {
                System.out.println("failed " + error);
            }
        }

        @Override public void shutdownRequested(ShutdownRequestedInput input) { }
    }
}
