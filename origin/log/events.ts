import type { ServiceLogLevel } from '../../shared/service-log/levels.ts'

/** `docs/operate.md` describes each event. */
export const ORIGIN_EVENTS = {
  'origin.ready': 'info',
  'origin.failed': 'error',
  'origin.draining': 'info',
  'origin.drained': 'info',
  'close.failed': 'warn',
  'request.answered': 'info',
  /** Requests to `/health` and `/metrics`, which are polled constantly. */
  'probe.answered': 'debug',
  'request.failed': 'error',
  'sealed.failed': 'error',
  'run.started': 'info',
  'run.ended': 'info',
  'run.lost': 'warn',
  'run.outcome_not_stored': 'error',
  'claims.reaped': 'warn',
  'claims.failed': 'error',
  'upkeep.failed': 'warn',
  'idempotency.not_kept': 'warn',
  'gas.cost_not_counted': 'warn',
  'gas.not_given_back': 'warn',
  'mirror.failed': 'warn',
  'mirror.snapshot-ignored': 'warn',
  'mirror.snapshot-failed': 'warn',
  'writer.failed': 'warn',
  'payer.low': 'error',
  'credits.failed': 'error',
  'credits.unpaid': 'warn',
  'credits.cap_left': 'warn',
  'credits.books_differ': 'error',
  'payments.failed': 'error',
  'payments.account_differs': 'error',
  'processor.failed': 'warn',
  'evidence.renewed': 'info',
  'evidence.failed': 'error',
  'collateral.failed': 'warn',
  'tls.unusable': 'error',
} as const satisfies Record<string, ServiceLogLevel>

export type OriginEvent = keyof typeof ORIGIN_EVENTS
