export type Metric = { type: 'counter' | 'gauge' | 'histogram'; help: string }

export const METRICS = {
  svc_edge_requests_total: {
    type: 'counter',
    help: 'Requests that were answered, by the pattern of the route.',
  },
  svc_edge_request_duration_seconds: {
    type: 'histogram',
    help: 'From a request to its answer, of webhooks and of all the rest.',
  },
  svc_edge_runs_ended_total: {
    type: 'counter',
    help: 'Runs of triggers that ended, by their status.',
  },
  svc_edge_telemetry_dropped_total: {
    type: 'counter',
    help: 'Spans and log records that the OpenTelemetry collector did not get.',
  },
  svc_edge_incidents_opened_total: {
    type: 'counter',
    help: 'Incidents of users that were opened, by their signal.',
  },
  svc_edge_alert_attempts_total: {
    type: 'counter',
    help: 'Attempts to send an alert, by channel and result.',
  },
  svc_edge_triggers: { type: 'gauge', help: 'Triggers in the index, a few minutes old.' },
  svc_edge_scan_age_seconds: { type: 'gauge', help: 'Since the last scan of schedules ended.' },
  svc_edge_scan_late_ticks: {
    type: 'gauge',
    help: 'Schedules that the last scan found with a tick that should have fired.',
  },
  svc_edge_scan_unanswered: {
    type: 'gauge',
    help: 'Triggers whose object did not answer the last scan.',
  },
  svc_edge_chain_watching: { type: 'gauge', help: '1 while a trigger needs the chain.' },
  svc_edge_chain_head: { type: 'gauge', help: 'The highest block that was seen.' },
  svc_edge_chain_lag_blocks: { type: 'gauge', help: 'Blocks whose logs were not looked for yet.' },
  svc_edge_chain_answer_age_seconds: {
    type: 'gauge',
    help: 'Since a node of the chain last answered.',
  },
  svc_edge_chain_endpoints: { type: 'gauge', help: 'Nodes of the chain, by how they are.' },
  svc_edge_origin_verified_seconds_left: {
    type: 'gauge',
    help: 'Until the origin has to be verified again; 0 where it is not verified.',
  },
  svc_edge_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels contain the version and the commit of the software.',
  },
  svc_edge_health_reason: { type: 'gauge', help: '1 for each reason that /health gives now.' },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
