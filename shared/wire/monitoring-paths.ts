export const HEALTH_PATH = '/health'
export const METRICS_PATH = '/metrics'

/**
 * Paths that are polled so often that their log lines would hide other lines. Such requests are logged as a separate
 * event.
 */
export const PROBE_PATHS: readonly string[] = [HEALTH_PATH, METRICS_PATH]

export const NO_ROUTE = 'none'

/** Content type of Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
