import type { AlertSignal } from '../../../shared/wire/alert.ts'

export const SIGNAL_TEXTS: Record<AlertSignal, string> = {
  run_failed: 'A run failed after its last attempt',
  trigger_disabled: 'The service disabled a trigger',
  trigger_held: 'Runs wait for credit, an allowance or the origin',
}
