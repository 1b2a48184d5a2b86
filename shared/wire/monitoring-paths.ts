/** Served by both the edge and the origin. */
export const HEALTH_PATH = '/health'
export const METRICS_PATH = '/metrics'

/** Polled so often that their log lines would hide the others. They are logged as a separate event. */
export const PROBE_PATHS: readonly string[] = [HEALTH_PATH, METRICS_PATH]

/** Label of requests that match no route. */
export const NO_ROUTE = 'none'

/** Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
