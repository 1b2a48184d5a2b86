import type { ServiceLogLevel } from '../shared/service-log/levels.ts'

/** `docs/operate.md` explains each event. */
export const EVENTS = {
  'edge.not_configured': 'error',
  'request.answered': 'info',
  /** Logged for requests to `/health` and `/metrics`, which are polled continuously. */
  'probe.answered': 'debug',
  'request.failed': 'error',
  'origin.away': 'warn',
  'mail.not_sent': 'error',
  'notice.not_sent': 'error',
  'passkey.sign_in_refused': 'info',
  'passkey.not_added': 'info',
  'index.failed': 'warn',
  'index.unchecked': 'warn',
  'dispatch.failed': 'error',
  'settle.failed': 'error',
  'watch.failed': 'warn',
  'report.failed': 'warn',
  'alarm.failed': 'error',
  'schedule.skipped': 'warn',
  'scan.broken': 'error',
  'scan.silent': 'warn',
  'scan.failed': 'warn',
  'scan.orphan': 'warn',
  'chain.asleep': 'warn',
  'chain.flooded': 'warn',
  'chain.reorg': 'info',
  'chain.replaced': 'warn',
  'chain.lags': 'warn',
  'chain.broken': 'error',
  'chain.behind': 'warn',
  'chain.silent': 'warn',
  'chain.failed': 'warn',
  'rpc.back': 'info',
  'rpc.out': 'warn',
  'backfill.broken': 'error',
  'backfill.refused': 'warn',
  'backfill.failed': 'warn',
  'backfill.untold': 'warn',
} as const satisfies Record<string, ServiceLogLevel>

export type EdgeLogEvent = keyof typeof EVENTS
