import type { Mutant } from '../mutant.ts'

const HTTP_DEDUP = 'test/edge/http/dedup.test.ts'

/** Mutants of the trigger queue: firings, attempts and outcomes. */
export const QUEUE: readonly Mutant[] = [
  {
    id: 'queue-batch-over-cap',
    file: 'edge/queue/intake.ts',
    from: 'if (queueSize.queued + runs.size >= maxQueuedRuns) break',
    to: 'if (queueSize.queued >= maxQueuedRuns) break',
    meaning: 'a batch of chain events or ticks exceeds max_queued_runs',
    tests: ['test/edge/queue/intake.test.ts', 'test/edge/queue/log-intake.test.ts'],
  },
  {
    id: 'queue-concurrent-duplicate',
    file: 'edge/queue/intake.ts',
    from: '    this.#pendingWrites.set(dedupKey, queued)\n',
    to: '',
    meaning: 'a delivery repeated while the first copy is being written makes a second run',
    tests: ['test/edge/queue/intake.test.ts', HTTP_DEDUP],
  },
  {
    id: 'queue-stale-delivery-kept',
    file: 'edge/queue/deliveries.ts',
    from: 'INSERT OR REPLACE INTO deliveries',
    to: 'INSERT OR IGNORE INTO deliveries',
    meaning: 'an id that comes again after 24 hours keeps its old time and is not deduplicated',
    tests: ['test/edge/queue/deliveries.test.ts', HTTP_DEDUP],
  },
  {
    id: 'queue-accepted-before-sync',
    file: 'edge/queue/group-commit.ts',
    from: `        await this.#options.sync()
        for (const waiting of batch) waiting.accept()
`,
    to: `        for (const waiting of batch) waiting.accept()
        await this.#options.sync()
`,
    meaning: 'a webhook is answered 202 before its run is on disk',
    tests: ['test/edge/queue/group-commit.test.ts', 'test/edge/queue/intake.test.ts'],
  },
  {
    id: 'queue-doubt-dispelled-early',
    file: 'edge/queue/run-sender.ts',
    from: 'if (doubtMs < LATE_START_MAX_MS || !state.current) return { run }',
    to: 'if (!state.current) return { run }',
    meaning: 'a request that may still arrive is taken for lost, and sent under another key',
    tests: ['test/edge/queue/key-of-a-run.test.ts', 'test/edge/queue/outages.test.ts'],
  },
  {
    id: 'queue-retry-under-new-key',
    file: 'edge/queue/run-sender.ts',
    from: 'this.#usageKeyOf(run.usageKey ?? trigger.usageKey)',
    to: 'this.#usageKeyOf(trigger.usageKey)',
    meaning: 'a retry goes out under the account of another key, which executes it twice',
    tests: ['test/edge/queue/key-of-a-run.test.ts', 'test/edge/queue/dispatch.test.ts'],
  },
  {
    id: 'queue-doubtful-run-forgets-key',
    file: 'edge/queue/live-runs.ts',
    from: 'const usageKey = inDoubtSince === null ? null : run.usageKey',
    to: 'const usageKey = null',
    meaning: 'a run that may have begun goes back into the queue without its key',
    tests: ['test/edge/queue/key-of-a-run.test.ts', 'test/edge/queue/live-runs.test.ts'],
  },
  {
    id: 'queue-old-key-disables-trigger',
    file: 'edge/queue/run-transitions.ts',
    from: '    if (verdict.refusal && run.usageKey !== state.current?.usageKey) return\n',
    to: '',
    meaning: 'refusals of a key that was replaced count against the new one',
    tests: ['test/edge/queue/refusals.test.ts', 'test/edge/queue/key-of-a-run.test.ts'],
  },
  {
    id: 'queue-deleted-trigger-keeps-keys',
    file: 'edge/queue/trigger-state.ts',
    from: '      this.#db.delete(schema.sealedUsageKeys).run()\n',
    to: '',
    meaning: 'a deleted trigger keeps its sealed usage keys',
    tests: ['test/edge/queue/index-row.test.ts'],
  },
  {
    id: 'queue-delivery-of-earlier-generation',
    file: 'edge/queue/log-intake.ts',
    from: '!trigger?.enabled || !chain || watch.generation !== delivery.generation',
    to: '!trigger?.enabled || !chain',
    meaning: 'logs of an earlier configuration fire the trigger',
    tests: ['test/edge/queue/log-intake.test.ts', 'test/edge/queue/watch.test.ts'],
  },
  {
    id: 'queue-rest-of-block-skipped',
    file: 'edge/queue/subscription-state.ts',
    from: 'return reached(logs[count]!.blockNumber)',
    to: 'return reached(logs[count]!.blockNumber + 1)',
    meaning: 'a backfill that is resumed skips the rest of a block that was taken in part',
    tests: ['test/edge/queue/watch.test.ts', 'test/edge/queue/log-intake.test.ts'],
  },
  {
    id: 'queue-outcomes-starve',
    file: 'edge/queue/outcome-poller.ts',
    from: '    for (const runId of response.running) this.#moveToEnd(runId)\n',
    to: '',
    meaning: 'with more than 64 runs in flight, the outcome of the later ones is never asked for',
    tests: ['test/edge/queue/outcome-poller.test.ts'],
  },
]
