/** What a trigger's runs have to be, by what the chain was and is. */
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { LogFilter } from '../../../../edge/chain/matching/log-filter.ts'
import type { BlockRange } from '../../../../edge/chain/subscription.ts'
import type { ChainEvent, ChainHistory } from './chain-history.ts'

/** A time in which a trigger was enabled with one configuration. */
export type Tenure = {
  filter: LogFilter
  since: number
  backfill: BlockRange | null
  /** All that it has had. */
  finalities: Finality[]
  /** A moment of the chain's history. */
  until?: number
  /** Where the next tenure resumes this one's backfill, or the block after it if it was complete. */
  backfillLeftAt?: number
  /** The hash of the watcher's highest block when it last delivered for the backfill. */
  backfillBranch?: string
}

export type JudgedTrigger = {
  tenures: Tenure[]
  /** The last run before a tenure ended: marks of runs up to it are not owed. */
  unwatchedThrough: number
}

export type JudgedRun = {
  sequence: number
  identity: string
  block: number
  index: number
  reorged: boolean
  /** What the owner reads in its input. */
  decode: string
  decoded: unknown
}

/** @returns what is wrong; none where all is as it has to be */
export function judge(
  trigger: JudgedTrigger,
  runs: readonly JudgedRun[],
  history: ChainHistory,
  decodedOf: (event: ChainEvent) => unknown,
): string[] {
  const wrong: string[] = []
  const ran = new Map<string, JudgedRun>()
  for (const run of runs) {
    if (ran.has(run.identity)) wrong.push(`duplicate: ${told(run)}`)
    ran.set(run.identity, run)
  }
  for (const [identity, event] of owed(trigger, history))
    if (!ran.has(identity)) wrong.push(`missing: block ${event.block} log ${event.index}`)

  const { onChain, wereFinal } = allowed(trigger, history)
  for (const run of ran.values()) {
    const event = onChain.get(run.identity) ?? wereFinal.get(run.identity)
    if (!event) {
      wrong.push(`phantom: ${told(run)}`)
      continue
    }
    if (run.decode !== 'exact' || JSON.stringify(run.decoded) !== JSON.stringify(decodedOf(event)))
      wrong.push(`decoded as ${run.decode} ${JSON.stringify(run.decoded)}: ${told(run)}`)
  }
  return [...wrong, ...wrongMarks(trigger, runs, history), ...disorder(trigger, runs, history)]
}

/** What there has to be a run for. */
function owed({ tenures }: JudgedTrigger, history: ChainHistory): Map<string, ChainEvent> {
  const events = tenures.flatMap((tenure) => {
    const { until, backfillLeftAt = 0, backfillBranch } = tenure
    const matching = history.matching(tenure.filter)
    if (until === undefined) {
      const lastFinal = history.lastFinal(tenure.finalities.at(-1)!)
      return matching.filter(({ block }) => block <= lastFinal && isCovered(tenure, block))
    }
    const { from, to } = tenure.backfill ?? { from: 0, to: -1 }
    // The watcher may learn of a reorganisation only after the trigger was disabled, and then delivers nothing of it.
    const onBranch = backfillBranch === undefined ? -1 : history.commonWith(backfillBranch)
    const through = Math.min(backfillLeftAt - 1, to, onBranch)
    return matching.filter(({ block }) => block >= from && block <= through)
  })
  return new Map(events.map((event) => [event.identity, event]))
}

/** What there may be a run for: of the chain as it is, or of a block that was final for this trigger and still went. */
function allowed({ tenures }: JudgedTrigger, history: ChainHistory) {
  const onChain = tenures.flatMap((tenure) =>
    history
      .matching(tenure.filter)
      .filter(
        (event) =>
          isCovered(tenure, event.block) &&
          history.minedAt(event) <= (tenure.until ?? Number.POSITIVE_INFINITY),
      ),
  )
  const wereFinal = tenures.flatMap((tenure) =>
    tenure.finalities
      .flatMap((finality) => history.lostAsFinal(tenure.filter, finality))
      .filter(({ block }) => isCovered(tenure, block)),
  )
  const byIdentity = (events: ChainEvent[]) =>
    new Map(events.map((event) => [event.identity, event]))
  return { onChain: byIdentity(onChain), wereFinal: byIdentity(wereFinal) }
}

/**
 * A run is marked if and only if its event is not on the chain. Only runs of the last tenure are checked, and only that
 * tenure decides which blocks the trigger is told of: an earlier one has ended, and its filter may be another.
 */
function wrongMarks(
  { tenures, unwatchedThrough }: JudgedTrigger,
  runs: readonly JudgedRun[],
  history: ChainHistory,
): string[] {
  const tenure = tenures.at(-1)!
  const lastFinal = history.lastFinal(tenure.finalities.at(-1)!)
  const places = new Map(
    history.matching(tenure.filter).map(({ identity, block }) => [identity, block]),
  )
  return runs.flatMap((run) => {
    if (run.sequence <= unwatchedThrough) return []
    const place = places.get(run.identity)
    // The event is on the chain again, in a block that the trigger is not told of, or not yet.
    if (place !== undefined && !(isCovered(tenure, place) && place <= lastFinal)) return []
    if (run.reorged === (place === undefined)) return []
    return [run.reorged ? `marked though on the chain: ${told(run)}` : `not marked: ${told(run)}`]
  })
}

/** Runs of a lane are in the chain's order, as far as no reorganisation has touched their events. */
function disorder(
  { tenures }: JudgedTrigger,
  runs: readonly JudgedRun[],
  history: ChainHistory,
): string[] {
  const [tenure, ...others] = tenures
  if (!tenure || others.length > 0) return []
  const moved = new Set(history.lostAsFinal(tenure.filter, 0).map(({ identity }) => identity))
  const stayed = runs
    .filter(({ identity }) => !moved.has(identity))
    .toSorted((one, other) => one.sequence - other.sequence)
  const lanes = [
    stayed.filter(({ block }) => block >= tenure.since),
    stayed.filter(({ block }) => block < tenure.since),
  ]
  return lanes.flatMap((lane) =>
    lane.flatMap((run, place) => {
      const before = lane[place - 1]
      const isAfter =
        !before ||
        before.block < run.block ||
        (before.block === run.block && before.index < run.index)
      return isAfter ? [] : [`out of order: ${told(run)}, after block ${before.block}`]
    }),
  )
}

function isCovered({ since, backfill }: Tenure, block: number): boolean {
  return block >= since || (backfill !== null && block >= backfill.from && block <= backfill.to)
}

function told({ sequence, block, index, reorged }: JudgedRun): string {
  return `run ${sequence} of block ${block} log ${index}${reorged ? ', marked' : ''}`
}
