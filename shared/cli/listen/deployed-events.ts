import type { Run } from '../../client/triggers/records.ts'
import type { TriggerOperations } from '../../client/triggers/triggers.ts'
import { MASKED_HEADER } from '../../wire/masked-header.ts'

export type EventSelection = {
  /** Number of past runs to start with. */
  last?: number
  /** Time of the first event to start with, in RFC 3339. */
  since?: string
  /** Continues with events that arrive later. Otherwise ends after the past events. */
  follows: boolean
}

/**
 * Yields the run of each event once, with its whole input: past runs from the oldest to the newest, and then each run when
 * it has finished. A replay of an event that was already yielded is skipped. Survives lost connections.
 * @param wholeRun fetches a run with its input, which lists leave out if it is large
 */
export async function* deployedEvents(
  triggers: TriggerOperations,
  triggerId: string,
  selection: EventSelection,
  wholeRun: (id: string) => Promise<Run>,
): AsyncGenerator<Run, void, undefined> {
  const seen = new Set<string>()
  const eventOfReplay = new Map<string, string>()
  for await (const run of runsOf(triggers, triggerId, selection)) {
    const { id, replay_of: of } = run
    const event = of === null ? id : (eventOfReplay.get(of) ?? of)
    if (of !== null) eventOfReplay.set(id, event)
    if (seen.has(event)) continue
    seen.add(event)
    yield run.input_omitted ? await wholeRun(id) : run
  }
}

async function* runsOf(
  triggers: TriggerOperations,
  triggerId: string,
  { last, since, follows }: EventSelection,
): AsyncGenerator<Run, void, undefined> {
  if (!follows || last !== undefined) {
    const filter = { ...(last !== undefined && { limit: last }), ...(since && { since }) }
    const past = (await triggers.runs(triggerId, filter).all()).toReversed()
    if (!follows) return yield* past
    since = past[0]?.queued_at
  }
  // Watches from the oldest past run on, so that no run falls between the past and the live events.
  yield* triggers.watchRuns(triggerId, since === undefined ? {} : { since })
}

const EVENT_KEYS: Readonly<Record<string, readonly string[]>> = {
  webhook: [
    'source',
    'event',
    'event_parse_error',
    'event_raw',
    'event_raw_encoding',
    'headers',
    'headers_truncated',
    'request',
  ],
  schedule: ['source', 'scheduled_at', 'cron'],
  chain_event: ['source', 'event'],
}

/**
 * Returns the params that the event added to the trigger's `default_params`. All params if they were given by the
 * owner, in a test run.
 */
export function eventParams({ input, test }: Run): Record<string, unknown> {
  const keys = EVENT_KEYS[String(input['source'])]
  if (test || !keys) return input
  return Object.fromEntries(keys.filter((key) => key in input).map((key) => [key, input[key]]))
}

/** Returns the names of headers whose values the history does not contain. */
export function maskedHeaders({ input }: Run): string[] {
  const headers = Object.entries(Object(input['headers']) as Record<string, unknown>)
  return headers.flatMap(([name, value]) => (value === MASKED_HEADER ? [name] : []))
}
