/** Operator endpoints that both the edge and the origin serve. */
export const HEALTH_PATH = '/health'
export const METRICS_PATH = '/metrics'

/** Content type of Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
