/** Credits of a test origin over another database, for example an unavailable one. */
import { randomUUID } from 'node:crypto'
import { createOriginApp } from '../../../origin/app.ts'
import { Credits } from '../../../origin/credits/credits.ts'
import { abortableSleep } from '../../../origin/timeout.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import type { TestOrigin } from './origin.ts'

export function creditsOver({ services }: TestOrigin, db: OpenDatabase['db']): Credits {
  const { now, log } = services
  return new Credits({
    db,
    processId: randomUUID(),
    starterCents: 0,
    now,
    monotonic: now,
    sleep: abortableSleep,
    newId: randomUUID,
    log,
  })
}

export function executionsWith({ services, pool }: TestOrigin, credits: Credits): Executions {
  const limits = { wallMs: 10_000, cpuMs: 5_000 }
  return new Executions({ ...services, pool, credits, limits })
}

/** The complete app of the origin, with these credits. */
export function appWith(origin: TestOrigin, credits: Credits) {
  const executions = executionsWith(origin, credits)
  return createOriginApp({ ...origin.services, credits, executions })
}
