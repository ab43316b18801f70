import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.services.kinesis.clientlibrary.interfaces.v2.IRecordProcessor;
import com.amazonaws.services.kinesis.clientlibrary.interfaces.v2.IRecordProcessorFactory;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.InitialPositionInStream;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.KinesisClientLibConfiguration;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.ShutdownReason;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.Worker;
import com.amazonaws.services.kinesis.clientlibrary.types.*;
import com.amazonaws.services.kinesis.metrics.impl.NullMetricsFactory;
import com.amazonaws.services.kinesis.model.Record;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What Consumer does, with the Kinesis Client Library 1.x, whose names are others; it knows one stream only. */
public final class ConsumerOfOne {
    private static final Map<String, AtomicInteger> TAKEN = new ConcurrentHashMap<>();

    public static void main(String[] arguments) throws Exception {
        String application = arguments[0], stream = arguments[1], kinesisUrl = arguments[2], dynamoUrl = arguments[3];
        int most = Integer.parseInt(arguments[4]);
        String worker = "worker-" + UUID.randomUUID();
        var credentials = new AWSStaticCredentialsProvider(new BasicAWSCredentials("key", "secret"));
        var configuration = new KinesisClientLibConfiguration(application, stream, credentials, worker)
            .withRegionName("us-east-1").withKinesisEndpoint(kinesisUrl).withDynamoDBEndpoint(dynamoUrl)
            .withInitialPositionInStream(InitialPositionInStream.valueOf(arguments[5]))
            .withIdleTimeBetweenReadsInMillis(250).withFailoverTimeMillis(3000).withShardSyncIntervalMillis(2000)
            .withParentShardPollIntervalMillis(500);
        IRecordProcessorFactory factory = () -> new Processor(most);
        Worker consumer = new Worker.Builder().recordProcessorFactory(factory).config(configuration)
            .metricsFactory(new NullMetricsFactory()).build();
        var thread = new Thread(consumer);
        thread.setDaemon(true);
        thread.start();
        System.out.println("started " + worker);
        while (System.in.read() >= 0) { }
        try {
            System.out.println("stopped " + consumer.startGracefulShutdown().get(40, TimeUnit.SECONDS));
        } finally {
            System.out.flush();
            System.exit(0);
        }
    }

    private static final class Processor implements IRecordProcessor {
        private final int most;
        private String shard;

        Processor(int most) { this.most = most; }

        @Override public void initialize(InitializationInput input) { shard = input.getShardId(); }

        @Override public void processRecords(ProcessRecordsInput input) {
            AtomicInteger taken = TAKEN.computeIfAbsent(shard, ignored -> new AtomicInteger());
            UserRecord last = null;
            for (Record each : input.getRecords()) {
                if (taken.get() >= most) break;
                UserRecord record = (UserRecord) each;
                byte[] data = new byte[record.getData().remaining()];
                record.getData().get(data);
                System.out.println("record " + shard + " " + record.getSequenceNumber() + " " + record.getSubSequenceNumber() + " " + new String(data));
                taken.incrementAndGet();
                last = record;
            }
            try {
                if (last != null) input.getCheckpointer().checkpoint(last.getSequenceNumber(), last.getSubSequenceNumber());
            } catch (Exception error) {
                System.out.println("failed " + error);
            }
            System.out.flush();
        }

        @Override public void shutdown(ShutdownInput input) {
            if (input.getShutdownReason() != ShutdownReason.TERMINATE) return;
            try {
                input.getCheckpointer().checkpoint();
                System.out.println("ended " + shard);
            } catch (Exception error) {
                System.out.println("failed " + error);
            }
        }
    }
}
