/** Checks the runs of a trigger against the present and past of the chain. */
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { BlockRange } from '../../../../edge/chain/subscription.ts'
import type { ChainEvent, ChainHistory, ExpectedFilter } from './chain-history.ts'

/** A period during which a trigger was enabled with one configuration. */
export type Tenure = {
  filter: ExpectedFilter
  since: number
  backfill: BlockRange | null
  /** All finalities that were set during this tenure. */
  finalities: Finality[]
  /** The moment in the history of the chain at which the tenure ended. */
  until?: number
  /** Where the next tenure resumes this one's backfill, or the block after it if it was complete. */
  backfillLeftAt?: number
  /** The hash of the watcher's highest block at its last delivery for the backfill. */
  backfillBranch?: string
}

export type JudgedTrigger = {
  tenures: Tenure[]
  /** The last run before a tenure ended. Reorg marks are not required for runs up to this one. */
  unwatchedThrough: number
}

export type JudgedRun = {
  sequence: number
  identity: string
  block: number
  index: number
  reorged: boolean
  /** The decoding that the owner sees in the input of the run. */
  decode: string
  decoded: unknown
}

/** @returns all violations; empty if the runs are correct */
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

/** Returns the events that must have a run. */
function owed({ tenures }: JudgedTrigger, history: ChainHistory): Map<string, ChainEvent> {
  const events = tenures.flatMap((tenure) => {
    const { until, backfillLeftAt = 0, backfillBranch } = tenure
    const matching = history.matching(tenure.filter)
    if (until === undefined) {
      const lastFinal = history.lastFinal(tenure.finalities.at(-1)!)
      return matching.filter(({ block }) => block <= lastFinal && isCovered(tenure, block))
    }
    const { from, to } = tenure.backfill ?? { from: 0, to: -1 }
    // The watcher may notice a reorg only after the trigger was disabled, and then delivers none of its events.
    const onBranch = backfillBranch === undefined ? -1 : history.commonWith(backfillBranch)
    const through = Math.min(backfillLeftAt - 1, to, onBranch)
    return matching.filter(({ block }) => block >= from && block <= through)
  })
  return new Map(events.map((event) => [event.identity, event]))
}

/**
 * Returns the events that may have a run: those on the chain, and those in blocks that were removed although they were
 * final for this trigger.
 */
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
 * A run must be marked if and only if its event is not on the chain. Only runs of the last tenure are checked, and only
 * that tenure decides which blocks are delivered to the trigger: earlier tenures have ended, and their filters may
 * differ.
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
    // The event is on the chain again, in a block that is not, or not yet, delivered to the trigger.
    if (place !== undefined && !(isCovered(tenure, place) && place <= lastFinal)) return []
    if (run.reorged === (place === undefined)) return []
    return [run.reorged ? `marked though on the chain: ${told(run)}` : `not marked: ${told(run)}`]
  })
}

/** Within a lane, runs follow the order of the chain, except for events that a reorg moved. */
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
