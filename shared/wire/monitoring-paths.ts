/** Served by both the edge and the origin. */
export const HEALTH_PATH = '/health'
export const METRICS_PATH = '/metrics'

/** Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
