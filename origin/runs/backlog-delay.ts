import type { ActionPool } from '../actions/run.ts'

/** If at least this many runs are waiting, the executors have work for longer than outcomes are delayed. */
const BACKLOG_RUNS = 16
const BACKLOG_DELAY_MS = 10

/**
 * Returns a delay for the storing of outcomes while many runs wait for an executor, so that more outcomes share a
 * statement. Without a backlog, there is no delay.
 */
export function backlogDelay(
  pool: Pick<ActionPool, 'load'>,
  sleep: (ms: number) => Promise<void>,
): () => Promise<void> | undefined {
  return () => (pool.load().waiting >= BACKLOG_RUNS ? sleep(BACKLOG_DELAY_MS) : undefined)
}
