/** Separate from the schemas, so that the command line does not load them for its help. */

/** Conditions that open an incident. */
export const ALERT_SIGNALS = [
  'run_failed',
  'trigger_disabled',
  'trigger_held',
  'failure_rate',
  'queue_share',
  'schedule_late',
  'chain_lagging',
  'evidence_changed',
  'key_expiring',
  'credit_low',
  'payment_failed',
] as const
export type AlertSignal = (typeof ALERT_SIGNALS)[number]

/** Signals that alert unless the user chooses others. */
export const DEFAULT_ALERT_SIGNALS = [
  'run_failed',
  'trigger_disabled',
  'trigger_held',
] as const satisfies readonly AlertSignal[]

/**
 * Signals about usage keys and their accounts. The edge polls the origin for these, only for users who enabled one of
 * them.
 */
export const POLLED_SIGNALS = [
  'key_expiring',
  'credit_low',
  'payment_failed',
] as const satisfies readonly AlertSignal[]
export type PolledSignal = (typeof POLLED_SIGNALS)[number]
