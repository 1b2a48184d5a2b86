import type { DerivedFiring, Intake } from '../queue/intake.ts'
import type { EventRules } from '../queue/event-rules.ts'
import { type TriggerRow, parseTriggerOptions } from '../queue/records.ts'
import type { TriggerState } from '../queue/trigger-state.ts'
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import { dueTicks } from './due-ticks.ts'
import type { SkippedTicks } from './skipped-ticks.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import { type ScheduleConfig, scheduleConfig } from './schedule-config.ts'
import { scheduleFiring } from './schedule-firing.ts'
import { tickRunSuffix } from './tick-run.ts'
import { decodeBase64url } from '../../shared/encoding/base64url.ts'

type TicksOptions = {
  state: TriggerState
  intake: Pick<Intake, 'queueNow'>
  skipped: SkippedTicks
  reports: Pick<PendingReports, 'add'>
  rules: Pick<EventRules, 'apply'>
  /** Called if the Durable Object was woken for a tick that is due soon. */
  onWoken: () => void
  /** Called by `reportDue` once for the ticks that have fired since the last call. */
  onTicked: (trigger: TriggerRow) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Fires the ticks of a schedule. The run of a tick, the record of skipped ticks and the time of the next tick are
 * stored in one transaction, so a crash cannot leave only some of them. A tick that is processed again gets the same
 * run ID, so it has only one run (`docs/decisions/0021`).
 */
export class Ticks {
  readonly #options: TicksOptions
  #isReportDue = false

  constructor(options: TicksOptions) {
    this.#options = options
  }

  runDue(now: number): number | undefined {
    const { state, intake, skipped, reports, rules, log } = this.#options
    const trigger = state.current
    if (trigger?.kind !== 'schedule' || !trigger.enabled || trigger.nextTickAt === null) return
    const config = scheduleConfig(JSON.parse(trigger.config))
    const schedule = scheduleOf(config, trigger.triggerId)
    const { ticks } = schedule
    const stored = trigger.nextTickAt
    let tick = ticks.next(stored - 1)
    // The stored tick can differ from the computed one if an earlier version of the service interpreted the cron
    // differently (docs/decisions/0069), or if the rules of the time zone have changed. The next tick can then be
    // before the stored one.
    if (tick !== stored) {
      if (now < stored) tick = ticks.next(now)
      state.updateFields({ nextTickAt: tick ?? null })
    }
    if (tick === undefined) return
    if (now < tick) return this.#wait(trigger, ticks, tick, now)
    const { misfire } = parseTriggerOptions(trigger)
    const due = dueTicks(ticks, tick, now, misfire)
    const firings = due.fire.map((at) => firingOf(trigger, schedule.nominal(at), config, rules))
    let waits = false
    intake.queueNow(firings, (taken) => {
      const refused = firings.length - taken
      // No later tick would follow a single run, so it waits until the queue has room.
      waits = ticks.isOneOff === true && refused > 0
      if (waits) return
      const record = (reason: 'missed' | 'queue_full', count: number, latest: number) =>
        skipped.record(reason, { count, latest: schedule.nominal(latest) }, now)
      if (due.missed) record('missed', due.missed.count, due.missed.latest)
      if (refused > 0) record('queue_full', refused, due.fire.at(-1)!)
      if (due.missed || refused > 0)
        log('schedule.skipped', { missed: due.missed?.count ?? 0, queue_full: refused })
      const problem = lateness(due, refused, now)
      if (problem)
        reports.add({ kind: 'signal', signal: 'schedule_late', state: 'open', ...problem })
      state.updateFields({ nextTickAt: due.next ?? null })
    })
    if (waits) return now + FULL_RETRY_MS
    this.#isReportDue = true
    return due.next && wakeAt(trigger.triggerId, due.next, now)
  }

  /** Separate from `runDue`, so that the runs of the ticks start before the report is sent. */
  reportDue(): void {
    const { state, onTicked } = this.#options
    if (!this.#isReportDue || !state.current) return
    this.#isReportDue = false
    onTicked(state.current)
  }

  #wait({ triggerId }: TriggerRow, ticks: Schedule['ticks'], tick: number, now: number): number {
    const { state, onWoken } = this.#options
    // If the clock was set back a little, the stored tick is kept, so that no tick fires twice. If the clock had been
    // hours ahead, the schedule continues with the first tick after the current time, so that it does not stay silent.
    const first = ticks.next(now) ?? tick
    const next = tick - first > SET_BACK_MAX_MS ? first : tick
    if (next !== tick) state.updateFields({ nextTickAt: next })
    const at = wakeAt(triggerId, next, now)
    if (at === next) onWoken()
    return at
  }
}

/** Ticks that fire with a longer delay are reported to the owner. */
const LATE_MS = 5 * MINUTE_MS

/** Returns what is reported to the owner if ticks were skipped or fire late. */
function lateness(
  { fire, missed }: Pick<ReturnType<typeof dueTicks>, 'fire' | 'missed'>,
  refused: number,
  now: number,
): { code: 'missed' | 'queue_full' | 'late'; message: string } | undefined {
  if (refused > 0)
    return { code: 'queue_full', message: `The queue was full: ${refused} runs were skipped.` }
  if (missed) return { code: 'missed', message: `${missed.count} runs were skipped.` }
  const lateMs = now - (fire[0] ?? now)
  if (lateMs <= LATE_MS) return undefined
  return { code: 'late', message: `A run started ${Math.floor(lateMs / MINUTE_MS)} minutes late.` }
}

/** Delay before a single run is queued again, if the queue was full. */
const FULL_RETRY_MS = 30_000

/** After a larger clock correction, the clock is assumed to have been wrong before. */
const SET_BACK_MAX_MS = 2 * HOUR_MS

function firingOf(
  trigger: TriggerRow,
  tick: number,
  config: ScheduleConfig,
  rules: Pick<EventRules, 'apply'>,
): DerivedFiring {
  const firing = scheduleFiring(tick, config)
  const arrival = { firing: JSON.stringify(firing), body: new Uint8Array() }
  return {
    suffix: tickRunSuffix(trigger.triggerId, tick),
    arrival: () =>
      rules.apply(trigger, arrival.firing, arrival.body).state === 'filtered' ? undefined : arrival,
  }
}

/** Time for which a Durable Object is assumed to stay in memory. It may be evicted after ten seconds of inactivity. */
const AWAKE_MS = 8_000
/** Durable Objects are woken 2 s to 7 s before their tick. */
const WOKEN_BEFORE_MS = 2_000
const WOKEN_OVER_MS = 5_000

/**
 * Returns the time of the next alarm for a tick. The first alarm fires shortly before the tick and loads the Durable
 * Object. The second alarm fires at the tick. Loading takes longer than firing, and many objects have ticks in the same
 * second. The objects are therefore loaded at different times in advance, so that only the firing is left for that
 * second.
 */
function wakeAt(triggerId: string, tick: number, now: number): number {
  if (tick - now <= AWAKE_MS) return tick
  // The first byte of a trigger ID is random, so it spreads the wake-ups.
  const share = (decodeBase64url(triggerId)?.[0] ?? 0) / 256
  return tick - WOKEN_BEFORE_MS - Math.floor(share * WOKEN_OVER_MS)
}
