#!/bin/bash
# Starts Spark as the entry point of the Spark project's images does, as far as a driver goes: `driver ARGUMENTS…`, or any command.
set -e
if [ "$1" != driver ]; then exec "$@"; fi
shift
exec /usr/bin/tini -s -- "$SPARK_HOME/bin/spark-submit" \
    --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS" \
    --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS" --deploy-mode client "$@"
