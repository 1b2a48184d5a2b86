import { HOUR_MS } from '../../shared/durations.ts'
import { ACTIVITY_HOURS } from '../../shared/limits.ts'
import type { ListedActivity, ListedTrigger } from '../../shared/wire/trigger.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import type { Env } from '../env.ts'
import { logEvent } from '../log.ts'
import type { TriggerActivity } from '../reports/activity.ts'
import { withTimeout } from '../sleep.ts'

/** Lists are shown without figures if the object that has them does not respond in time. */
const TIMEOUT_MS = 2_000

/**
 * Adds the figures of their runs to triggers of a list. They are read with one call, whatever the number of triggers.
 * @returns `isComplete` is false if the figures could not be read
 */
export async function withActivity(
  env: Env,
  ownerId: string,
  triggers: readonly ListedTrigger[],
  now: number,
): Promise<{ triggers: ListedTrigger[]; isComplete: boolean }> {
  if (triggers.length === 0) return { triggers: [], isComplete: true }
  const ids = triggers.map(({ id }) => id)
  const call = env.USER_REPORTS.getByName(ownerId).triggerActivity(ids)
  const reading = Promise.resolve(call).catch((error: unknown) =>
    logEvent(env, 'activity.unread', { user: ownerId, reason: rootCauseText(error) }),
  )
  const found = await withTimeout(reading, TIMEOUT_MS)
  if (!found) return { triggers: [...triggers], isComplete: false }
  return {
    triggers: triggers.map((trigger) => {
      const activity = found[trigger.id]
      return activity
        ? { ...trigger, activity: toListedActivity(trigger.id, activity, now) }
        : trigger
    }),
    isComplete: true,
  }
}

/**
 * Counts the current hour and the 23 hours before it. A trigger without new runs does not report again, so hours that
 * have passed since its report are left out here.
 */
export function toListedActivity(
  triggerId: string,
  { at, lastRun, isFailing, hours, p50Ms, p95Ms }: TriggerActivity,
  now: number,
): ListedActivity {
  const firstHour = Math.floor(now / HOUR_MS) - ACTIVITY_HOURS + 1
  const byHour = new Map(hours.map((counts) => [counts.hour, counts]))
  const counts = Array.from({ length: ACTIVITY_HOURS }, (_, n) => byHour.get(firstHour + n))
  const okByHour = counts.map((hour) => hour?.ok ?? 0)
  const failedByHour = counts.map((hour) => hour?.failed ?? 0)
  const [ok, failed] = [sum(okByHour), sum(failedByHour)]
  const hasRuns = ok + failed > 0
  return {
    as_of: new Date(at).toISOString(),
    last_run: lastRun && {
      id: triggerId + lastRun.suffix,
      status: lastRun.status,
      queued_at: new Date(lastRun.queuedAt).toISOString(),
      finished_at: lastRun.finishedAt === null ? null : new Date(lastRun.finishedAt).toISOString(),
      test: lastRun.isTest,
    },
    failing: isFailing,
    ok,
    failed,
    success_rate: hasRuns ? ok / (ok + failed) : null,
    p50_ms: hasRuns ? p50Ms : null,
    p95_ms: hasRuns ? p95Ms : null,
    ok_by_hour: okByHour,
    failed_by_hour: failedByHour,
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
