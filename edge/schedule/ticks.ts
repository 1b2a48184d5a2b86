import type { ScheduleFiring } from '../queue/firing.ts'
import type { DerivedFiring, Intake } from '../queue/intake.ts'
import type { TriggerRow } from '../queue/records.ts'
import type { TriggerState } from '../queue/trigger-state.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { nextTick } from './cron.ts'
import { dueTicks } from './due-ticks.ts'
import type { SkippedTicks } from './skipped-ticks.ts'
import { tickRunSuffix } from './tick-run.ts'
import { wakeAt } from './wake-at.ts'

export type TicksOptions = {
  state: TriggerState
  intake: Pick<Intake, 'queueNow'>
  skipped: SkippedTicks
  /** The object was woken for a tick that is due soon. */
  woken: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * A schedule's part of its object's alarm. A tick's run, what is recorded of ticks that get none, and the time of the
 * next tick are one transaction: killed at any moment, the object has done all of it or none. Where it is done again
 * after all, the run has the same id, so there is one run a tick (`decisions.md`, Ticks).
 */
export class Ticks {
  readonly #options: TicksOptions

  constructor(options: TicksOptions) {
    this.#options = options
  }

  /** Queues what is due. @returns when the next tick is due */
  tend(now: number): number | undefined {
    const { state, intake, skipped, log } = this.#options
    const trigger = state.current
    if (trigger?.kind !== 'schedule' || !trigger.enabled || trigger.nextTickAt === null) return
    const { cron } = JSON.parse(trigger.config) as { cron: string }
    const tick = nextTick(cron, trigger.nextTickAt - 1)
    // The tick was stored by a version of the service that read the cron differently (docs/decisions/0069).
    if (tick !== trigger.nextTickAt) state.note({ nextTickAt: tick ?? null })
    if (tick === undefined) return
    if (now < tick) return this.#wait(trigger, cron, tick, now)
    const { misfire } = JSON.parse(trigger.options) as TriggerOptions
    const due = dueTicks(cron, tick, now, misfire)
    const firings = due.fire.map((at) => firingOf(trigger.triggerId, at, cron))
    intake.queueNow(firings, (taken) => {
      const refused = firings.length - taken
      const latest = due.fire.at(-1)
      if (due.missed) skipped.record('missed', due.missed, now)
      if (refused > 0) skipped.record('queue_full', { count: refused, latest: latest! }, now)
      if (due.missed || refused > 0)
        log('schedule.skipped', { missed: due.missed?.count ?? 0, queue_full: refused })
      state.note({ nextTickAt: due.next ?? null })
    })
    return due.next && wakeAt(trigger.triggerId, due.next, now)
  }

  /** @returns when the alarm has to fire for a tick that is not due yet */
  #wait({ triggerId }: TriggerRow, cron: string, tick: number, now: number): number {
    const { state, woken } = this.#options
    // A clock that is set back fires no tick twice. A clock that was hours ahead must not keep the schedule silent.
    const first = nextTick(cron, now) ?? tick
    const next = tick - first > SET_BACK_MAX_MS ? first : tick
    if (next !== tick) state.note({ nextTickAt: next })
    const at = wakeAt(triggerId, next, now)
    if (at === next) woken()
    return at
  }
}

/** A clock that is set back by more than this was wrong before. */
const SET_BACK_MAX_MS = 2 * 60 * 60 * 1000

function firingOf(triggerId: string, tick: number, cron: string): DerivedFiring {
  const firing: ScheduleFiring = { source: 'schedule', scheduledAt: tick, cron }
  const arrival = { firing: JSON.stringify(firing), body: new Uint8Array() }
  return { suffix: tickRunSuffix(triggerId, tick), arrival: () => arrival }
}
