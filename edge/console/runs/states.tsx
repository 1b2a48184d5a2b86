import type { FC } from 'hono/jsx'
import type { RunStatus, WaitingFor } from '../../../shared/wire/trigger.ts'
import { Badge } from '../parts.tsx'
import { moment, relative } from './written.ts'

export const STATUS_NAMES: Record<RunStatus, string> = {
  queued: 'Queued',
  running: 'Running',
  success: 'Succeeded',
  failed: 'Failed',
}

const TONES: Partial<Record<RunStatus, 'good' | 'bad'>> = { success: 'good', failed: 'bad' }

export const Status: FC<{ status: RunStatus }> = ({ status }) => {
  const tone = TONES[status]
  return <Badge {...(tone && { tone })}>{STATUS_NAMES[status]}</Badge>
}

/** Reasons why a run waits, each with a remedy. */
export const WAITS: Record<WaitingFor, { what: string; fix: string }> = {
  payment: {
    what: 'Waiting for credit',
    fix: 'The account of its usage key has none left. Top it up in the console, under Credits: a look is taken each minute, and nothing that waits is lost.',
  },
  spend_cap: {
    what: 'Waiting for room under the spending cap',
    fix: 'Its usage key has spent what its cap allows. Raise the cap in the console, under Usage keys, or wait until its window is over.',
  },
  failed_execution_allowance: {
    what: 'Waiting after too many failures',
    fix: 'Failed runs are free up to an allowance, and this key and action have used theirs. It fills up again within the hour; mend the action meanwhile.',
  },
  origin: {
    what: 'Waiting for the origin',
    fix: 'The machine that runs actions takes no runs at the moment. They start by themselves once it does; there is nothing to do.',
  },
}

/** Shows a time to the second, and how far it is from now. */
export const Moment: FC<{ at: number; now: number }> = ({ at, now }) => (
  <>
    <time datetime={new Date(at).toISOString()}>{moment(at)}</time>{' '}
    <span class="ago">{relative(at, now)}</span>
  </>
)
