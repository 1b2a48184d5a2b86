import type { Tail } from '../../wire/tail.ts'
import type { Run } from './records.ts'
import type { TriggersParts } from './send-request.ts'
import { RunWatcher, type WatchRunsOptions } from './watch-runs.ts'

/** A line of console output, while its run is in progress or when it has ended. */
export type TailedLine = Tail['lines'][number]

export type TailEvent = { type: 'line'; line: TailedLine } | { type: 'run'; run: Run }

/**
 * Yields each line of console output once, as soon as it is known, and each run when it has ended. All lines of a run come before
 * the run, in order.
 */
export function tailTrigger(
  parts: TriggersParts,
  triggerId: string,
  options: WatchRunsOptions = {},
): AsyncGenerator<TailEvent, void, undefined> {
  return tailEvents(new RunWatcher(parts, triggerId, options))
}

async function* tailEvents(watcher: RunWatcher): AsyncGenerator<TailEvent, void, undefined> {
  const ended = new RecentIds()
  /** Number of lines already yielded of runs that have not been yielded. */
  const yielded = new Map<string, { attempt: number; lines: number }>()
  const yieldedOf = (runId: string, attempt: number) => {
    const known = yielded.get(runId)
    return known?.attempt === attempt ? known.lines : 0
  }
  await watcher.started
  for (;;) {
    for (let hasChanged = false; !hasChanged;) {
      const { changed, lines } = await watcher.changes.next()
      for (const line of lines) {
        // A line may be repeated, also after its run, or missing until the run has ended.
        const { run_id, attempt, index } = line
        if (ended.has(run_id) || index !== yieldedOf(run_id, attempt)) continue
        yielded.set(run_id, { attempt, lines: index + 1 })
        yield { type: 'line', line }
      }
      hasChanged = changed
    }
    for await (const run of watcher.finishedRuns()) {
      const { id: run_id, attempt } = run
      const from = yieldedOf(run_id, attempt)
      yielded.delete(run_id)
      for (const [at, line] of run.logs.slice(from).entries())
        yield { type: 'line', line: { run_id, attempt, index: from + at, ...line } }
      ended.add(run_id)
      yield { type: 'run', run }
    }
  }
}

/** More than the service keeps lines of. */
const RECENT_MAX = 10_000

class RecentIds {
  readonly #ids = new Set<string>()

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > RECENT_MAX) this.#ids.delete(oldest!)
  }
}
