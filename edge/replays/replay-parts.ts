import type { Env } from '../env.ts'
import { sleep } from '../sleep.ts'
import { ReplayRunner } from './replay-runner.ts'
import { ReplayStore } from './replay-store.ts'
import { Replays } from './replays.ts'

type Hooks = {
  sent: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

export type ReplayParts = ReturnType<typeof replayParts>

/** Creates the components of bulk replays in the object of a user, without accessing storage. */
export function replayParts(ctx: DurableObjectState, env: Env, { sent, log }: Hooks) {
  const store = new ReplayStore(ctx.storage)
  const replays = new Replays(ctx.storage.sql, store)
  const runner = new ReplayRunner({
    store,
    send: (ownerId, triggerId, batch) =>
      env.TRIGGER_QUEUE.getByName(triggerId).replayBatch(ownerId, batch),
    now: Date.now,
    sleep,
    // The tables are missing if the user was erased in the meantime.
    keepAlive: (work) => ctx.waitUntil(work.catch(() => undefined)),
    sent,
    log,
  })
  return { store, replays, runner }
}
