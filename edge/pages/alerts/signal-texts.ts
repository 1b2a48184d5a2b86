import type { AlertSignal } from '../../../shared/wire/alert.ts'

export const SIGNAL_TEXTS: Record<AlertSignal, string> = {
  run_failed: 'A run failed after its last attempt',
  trigger_disabled: 'The service disabled a trigger',
  trigger_held: 'Runs wait for credit, an allowance or the origin',
  failure_rate: 'Many runs failed within an hour',
  queue_share: 'The queue of a trigger is almost full',
  schedule_late: 'A schedule fired late or skipped runs',
  chain_lagging: 'A chain of your triggers made no progress for ten minutes',
  evidence_changed: 'The code, the machine or the root key of the service changed',
  key_expiring: 'A usage key of a trigger expires soon',
  credit_low: 'The credit of an account is low',
  payment_failed: 'A payment of an account was declined or disputed',
}
