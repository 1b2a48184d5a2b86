import type { FC } from 'hono/jsx'
import type { RunStatus, WaitingFor } from '../../../shared/wire/trigger.ts'
import { Badge } from '../components/elements.tsx'
import { formatTime, relativeTime } from '../format/times.ts'

export const STATUS_NAMES: Record<RunStatus, string> = {
  queued: 'Queued',
  running: 'Running',
  success: 'Succeeded',
  failed: 'Failed',
}

const TONES: Partial<Record<RunStatus, 'good' | 'bad'>> = { success: 'good', failed: 'bad' }

export const StatusBadge: FC<{ status: RunStatus }> = ({ status }) => {
  const tone = TONES[status]
  return <Badge {...(tone && { tone })}>{STATUS_NAMES[status]}</Badge>
}

export const WAIT_TEXTS: Record<WaitingFor, { what: string; fix: string }> = {
  payment: {
    what: 'Waiting for credits',
    fix: 'The account of its usage key has no credits left. Add funds in the console, under Credits. The balance is checked every minute, and no waiting runs are lost.',
  },
  spend_cap: {
    what: 'Waiting: spending cap reached',
    fix: 'The usage key has reached its spending cap. Raise the cap in the console, under Usage keys, or wait until its window ends.',
  },
  failed_execution_allowance: {
    what: 'Waiting: too many failed runs',
    fix: 'Failed runs are free up to an allowance, which this key and action have used up. The allowance refills within the hour. Fix the action in the meantime.',
  },
  key_limit: {
    what: 'Waiting: limit of the usage key reached',
    fix: 'The usage key can make only so many requests per minute, or have so many runs in flight. Waiting runs start automatically. Raise the limit in the console, under Usage keys.',
  },
  origin: {
    what: 'Waiting for the origin',
    fix: 'The machine that runs actions is not accepting runs at the moment. Waiting runs start automatically; no action is needed.',
  },
}

export const Moment: FC<{ at: number; now: number }> = ({ at, now }) => (
  <>
    <time datetime={new Date(at).toISOString()}>{formatTime(at)}</time>{' '}
    <span class="ago">{relativeTime(at, now)}</span>
  </>
)
