import type { Server } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActionPool } from '../actions/run.ts'
import type { Drain } from '../admission/drain.ts'
import type { OriginLog } from '../log.ts'
import { undefinedAfter } from '../timeout.ts'

/**
 * Time for which the server continues to respond after the work has ended, but at most a tenth of the grace. In this
 * time, load balancers see the health check, and clients get a 503 instead of a broken connection.
 */
const NOTICE_MAX_MS = 5_000

/** Time after the grace in which the outcomes of the remaining runs are stored. */
const STORE_MS = 3_000

/** Time in which the last responses are sent. */
const RESPONSES_MS = 3_000
const IDLE_POLL_MS = 50

type DrainOptions = {
  drain: Drain
  pool: Pick<ActionPool, 'drain' | 'close'>
  server: Server
  /** Time in which work in flight may end, in milliseconds. */
  graceMs: number
  /** Aborted to stop without waiting for the work in flight. */
  skipGrace: AbortSignal
  log: OriginLog
}

/**
 * Ends the work in flight, and closes the server. Must be called before any other component is closed, because the work
 * uses them. Runs that exceed the grace end as `origin_lost`. Never rejects.
 */
export async function drainAndClose(options: DrainOptions): Promise<void> {
  const { drain, pool, server, graceMs, skipGrace, log } = options
  const startedAt = performance.now()
  drain.begin()
  pool.drain()
  log('origin.draining', { in_flight: drain.inFlight, grace_ms: graceMs })
  const skipped = new Promise<void>((resolve) => {
    if (skipGrace.aborted) resolve()
    else skipGrace.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([drain.wait(graceMs), skipped])
  const unfinished = drain.inFlight
  await pool.close()
  await drain.wait(STORE_MS)
  await Promise.race([sleep(Math.min(NOTICE_MAX_MS, graceMs / 10)), skipped])
  drain.end()
  await closeServer(server)
  log('origin.drained', { unfinished, ms: Math.round(performance.now() - startedAt) })
}

/** Sends the last responses, and closes all connections. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection whose response was already being sent when the drain began stays open after the response.
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_POLL_MS)
  await undefinedAfter(RESPONSES_MS, closed)
  clearInterval(timer)
  server.closeAllConnections()
}
