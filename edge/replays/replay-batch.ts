import type { ReplayCode } from '../../shared/wire/run.ts'
import { derivedRunSuffix } from '../derived-run-suffix.ts'
import type { Arrival, IntakeResult } from '../queue/intake.ts'
import { replayArrival } from '../queue/owner-firings.ts'
import type { RunStore } from '../queue/run-store.ts'

/** A part of a bulk replay that belongs to one trigger. */
export type ReplayBatch = {
  replayId: string
  /** Run IDs without the trigger ID. */
  suffixes: string[]
  code: ReplayCode
  /** True if the replay was cancelled: queues nothing, and only returns which runs were replayed before. */
  isCancelled: boolean
}

export type ReplayBatchResult =
  /** This owner has no such trigger. Runs may have been replayed before it was deleted. */
  | { state: 'unknown' }
  | {
      state: 'done' | 'disabled' | 'full'
      replayed: string[]
      deleted: string[]
      /** Runs that were not replayed, because the trigger is disabled, its queue is full, or the replay was cancelled. */
      left: string[]
    }

type ReplayBatchParts = {
  triggerId: string
  store: Pick<RunStore, 'body' | 'bySuffix' | 'has'>
  /** Returns true if the queue has room for replays. They use half of it, so that new events are not rejected. */
  hasRoom: () => boolean
  accept: (arrival: Arrival) => Promise<IntakeResult>
}

/** Returns the suffix of the run that replays a run. It is derived, so that a repeated batch replays no run twice. */
export function replaySuffix(replayId: string, runId: string): string {
  return derivedRunSuffix(`replay ${replayId} ${runId}`)
}

/** Queues the replays of a batch, one at a time, because a run can have a large body. Idempotent. */
export async function replayBatch(
  { triggerId, store, hasRoom, accept }: ReplayBatchParts,
  { replayId, suffixes, code, isCancelled }: ReplayBatch,
): Promise<ReplayBatchResult> {
  const replayed: string[] = []
  const deleted: string[] = []
  const left: string[] = []
  let state: 'done' | 'disabled' | 'full' = 'done'
  for (const suffix of suffixes) {
    const runId = triggerId + suffix
    const newSuffix = replaySuffix(replayId, runId)
    // First, so that a repeated batch has the same result although the trigger was disabled in the meantime.
    if (store.has(newSuffix)) {
      replayed.push(suffix)
      continue
    }
    if (state === 'done' && !isCancelled && !hasRoom()) state = 'full'
    if (state !== 'done' || isCancelled) {
      left.push(suffix)
      continue
    }
    const run = store.bySuffix(suffix)
    if (!run) {
      deleted.push(suffix)
      continue
    }
    const arrival = replayArrival(store, run, runId, code)
    const accepted = await accept({ ...arrival, suffix: newSuffix })
    if (accepted.state === 'unknown') return { state: 'unknown' }
    if (accepted.state === 'queued') replayed.push(suffix)
    else {
      state = accepted.state
      left.push(suffix)
    }
  }
  return { state, replayed, deleted, left }
}
