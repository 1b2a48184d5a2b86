import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import type { ErrorGroup, FailedRun } from '../../shared/wire/failed-runs.ts'
import type { ReplayPreview, ReplayRecord } from '../../shared/wire/replays.ts'
import type { RunStatus } from '../../shared/wire/trigger.ts'
import type { IndexedTrigger } from '../triggers/trigger-index.ts'
import type { StoredErrorGroup, StoredFailedRun } from './failed-run-queries.ts'
import { replaySuffix } from './replay-batch.ts'
import type { ReplayProgress, SelectedRuns } from './replays-object.ts'

/** Returns the suffix of the latest replay of a run; `undefined` if the run was not replayed. */
export function suffixOfReplay(run: StoredFailedRun): string | undefined {
  const { replayId, replaySuffix: individual, triggerId, suffix } = run
  return replayId === null ? (individual ?? undefined) : replaySuffix(replayId, triggerId + suffix)
}

/**
 * @param statuses statuses of the runs of this trigger, by suffix; undefined if they are unknown
 * @param isPending returns true if a bulk replay has not processed all of its runs
 */
export function toFailedRun(
  run: StoredFailedRun,
  statuses: Readonly<Record<string, RunStatus>> | undefined,
  isPending: (replayId: string) => boolean,
): FailedRun {
  const { triggerId, replayId, code, message, frame, fingerprint, attempt } = run
  const newSuffix = suffixOfReplay(run)
  const status = newSuffix === undefined ? undefined : statuses?.[newSuffix]
  const unknown = statuses && replayId !== null && isPending(replayId) ? 'pending' : null
  return {
    id: triggerId + run.suffix,
    trigger_id: triggerId,
    fingerprint,
    code,
    message,
    frame,
    attempt,
    queued_at: timeText(run.queuedAt),
    failed_at: timeText(run.finishedAt),
    replay:
      newSuffix === undefined
        ? null
        : { replay_id: replayId, run_id: triggerId + newSuffix, status: status ?? unknown },
  }
}

export function toErrorGroup(group: StoredErrorGroup): ErrorGroup {
  const { triggerId, suffix, code, message, frame } = group.example
  return {
    fingerprint: group.fingerprint,
    count: group.count,
    replayed: group.replayed,
    first_failed_at: timeText(group.firstFailedAt),
    last_failed_at: timeText(group.lastFailedAt),
    example: { id: triggerId + suffix, trigger_id: triggerId, code, message, frame },
    trigger_ids: group.triggerIds,
  }
}

export function toReplayRecord(replay: ReplayProgress): ReplayRecord {
  const { selected, replayed, failed, finishedAt } = replay
  const skipped = {
    trigger_disabled: replay.triggerDisabled,
    trigger_deleted: replay.triggerDeleted,
    run_deleted: replay.runDeleted,
    queue_full: replay.queueFull,
    cancelled: replay.cancelled,
  }
  const processed = Object.values(skipped).reduce((sum, count) => sum + count, replayed + failed)
  return {
    id: replay.id,
    status: replay.status,
    code: replay.code,
    per_minute: replay.perMinute,
    selected,
    replayed,
    skipped,
    failed,
    remaining: selected - processed,
    waiting_for: replay.waiting.map(({ triggerId, since }) => ({
      trigger_id: triggerId,
      reason: 'queue_full',
      since: timeText(since),
    })),
    created_at: timeText(replay.createdAt),
    finished_at: finishedAt === null ? null : timeText(finishedAt),
  }
}

export function toReplayPreview(
  { triggers, alreadyReplayed }: SelectedRuns,
  indexed: readonly IndexedTrigger[],
  perMinute: number,
): ReplayPreview {
  const byId = new Map(indexed.map((trigger) => [trigger.id, trigger]))
  const selected = triggers.reduce((sum, { runs }) => sum + runs, 0)
  const minutes = triggers.map(({ triggerId, runs }) => {
    return runs / (byId.get(triggerId)?.maxRunsPerMinute ?? Number.POSITIVE_INFINITY)
  })
  return {
    selected,
    already_replayed: alreadyReplayed,
    triggers: triggers.map(({ triggerId, runs }) => {
      const trigger = byId.get(triggerId)
      const { name = null, enabled = false } = trigger ?? {}
      return { trigger_id: triggerId, name, runs, enabled }
    }),
    per_minute: perMinute,
    estimated_s: Math.ceil(Math.max(selected / perMinute, ...minutes) * 60),
    min_cost_cents: selected * EXECUTION_SECOND_CENTS,
  }
}

const timeText = (time: number) => new Date(time).toISOString()
