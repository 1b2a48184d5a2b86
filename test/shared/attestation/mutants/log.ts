/** Mutants of the event log. */
import { createHash } from 'node:crypto'
import type { RuntimeEvent } from '../../../../origin/tee/simulated/events.ts'
import { byMachine, type Mutant, ofEvents, ofLog } from './change.ts'

/** Boot of an application that hides itself. */
const REAL_BOOT: RuntimeEvent[] = [
  { event: 'compose-hash', payload: Buffer.alloc(32, 6) },
  { event: 'system-ready', payload: Buffer.alloc(0) },
]

export const LOG: Mutant[] = [
  [
    'a payload',
    'quote',
    "does not replay to the quote's RTMR3",
    ofLog((log) => log.replace('7b22', '7b23')),
  ],
  [
    'an event left out',
    'quote',
    "does not replay to the quote's RTMR3",
    ofEvents((events) => events.slice(1)),
  ],
  [
    'events in another order',
    'quote',
    "does not replay to the quote's RTMR3",
    ofEvents((events) => events.toReversed()),
  ],
  [
    'an event of another register',
    'quote',
    "does not replay to the quote's RTMR0",
    ofEvents((events) => [...events, { ...events[0], imr: 0 }]),
  ],
  [
    'a digest of something else',
    'quote',
    'event 1 ("app-id"): its digest does not match',
    ofEvents((events) =>
      events.map((event) => ({
        ...event,
        digest: event['event'] === 'app-id' ? 'ab'.repeat(48) : '',
      })),
    ),
  ],
  [
    'an unknown version',
    'quote',
    'unknown version 3',
    ofEvents((events) => events.map((event) => ({ ...event, version: 3 }))),
  ],
  [
    'version 2 without its preimage',
    'quote',
    'version 2 requires a preimage',
    ofEvents((events) => events.map((event) => ({ ...event, version: 2 }))),
  ],
  ['a log that is no JSON', 'quote', 'the event log is not JSON', ofLog((log) => log.slice(1))],
  ['a log of another shape', 'quote', 'the event log is invalid', ofLog(() => '[{"imr":9}]')],
  [
    'a repeated compose-hash',
    'quote',
    'repeats the compose-hash event',
    byMachine({ events: (boot) => [...boot.slice(0, 3), boot[2]!, ...boot.slice(3)] }),
  ],
  [
    'a boot that has not ended',
    'quote',
    'has no system-ready event',
    byMachine({ events: (boot) => boot.slice(0, -1) }),
  ],
  [
    // The application measures the events of a good boot, and the log hides the real boot before them.
    'a boot hidden behind events of another type',
    'quote',
    'is not a runtime event',
    byMachine({
      events: (boot) => [...REAL_BOOT, ...boot],
      log: (entries) =>
        entries.map((entry, at) =>
          at < 2 ? { ...entry, event_type: 4, digest: digestOf(REAL_BOOT[at]!) } : entry,
        ),
    }),
  ],
  [
    'a name that could end elsewhere',
    'quote',
    'with a colon in its name',
    byMachine({ events: (boot) => [{ event: 'compose-hash:a', payload: Buffer.of(1) }, ...boot] }),
  ],
  [
    'a boot without an app-id',
    'quote',
    'has no app-id event of 20 bytes',
    byMachine({ events: (boot) => boot.filter(({ event }) => event !== 'app-id') }),
  ],
]

/** Computes a version 1 digest as in the reference, independently of the tested code. */
function digestOf({ event, payload }: RuntimeEvent): string {
  const type = Buffer.from([1, 0, 0, 8])
  const hash = createHash('sha384').update(type).update(`:${event}:`).update(payload)
  return hash.digest('hex')
}
