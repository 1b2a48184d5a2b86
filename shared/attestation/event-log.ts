/** Event logs as dstack's guest agents give them (dstack, `cc-eventlog`). */
import { z } from 'zod'
import { decodeHex, encodeHex } from '../hex.ts'
import { ATTESTATION_MAX_BYTES, EVENTS_MAX } from '../limits.ts'
import { check, CheckFailed, quoted } from './check-failed.ts'
import { sameBytes, sha384Of } from './digests.ts'

/** What software measures while the machine runs, into RTMR3. */
export const RUNTIME_EVENT = 0x08000001
const DIGEST_BYTES = 48

const eventSchema = z.object({
  imr: z.int().min(0).max(3),
  event_type: z.int().min(0).max(0xffffffff),
  digest: z.string(),
  event: z.string(),
  event_payload: z.string(),
  version: z.int().optional(),
  /** Of version 2: the hex of what the digest is of. */
  preimage: z.string().optional(),
})
const logSchema = z.array(eventSchema).max(EVENTS_MAX)
type Entry = z.infer<typeof eventSchema>

export type MeasuredEvent = {
  imr: number
  isRuntime: boolean
  name: string
  payload: Uint8Array
  /** At most 48 bytes. */
  digest: Uint8Array
}

/**
 * The events with the digests that belong to them.
 * @throws {CheckFailed} for a log that does not parse, a version that is not known, a digest that is not the event's
 */
export function parseEventLog(log: string): MeasuredEvent[] {
  return entriesOf(log).map(measuredEvent)
}

/** The same log, every digest filled in: what the official verifier takes (specification, verification rule 1). */
export function withDigests(log: string): string {
  const entries = entriesOf(log)
  return JSON.stringify(
    entries.map((entry, at) => ({ ...entry, digest: encodeHex(measuredEvent(entry, at).digest) })),
  )
}

function entriesOf(log: string): Entry[] {
  check(log.length <= ATTESTATION_MAX_BYTES, 'the event log is longer than any log is')
  let parsed: unknown
  try {
    parsed = JSON.parse(log)
  } catch {
    throw new CheckFailed('the event log is not JSON')
  }
  const result = logSchema.safeParse(parsed)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new CheckFailed(`the event log does not parse: ${issue?.path.join('.')}: ${issue?.message}`)
}

function measuredEvent(entry: Entry, at: number): MeasuredEvent {
  const name = `event ${at} (${quoted(entry.event)})`
  const given = decodeHex(entry.digest)
  check(
    given !== undefined && given.length <= DIGEST_BYTES,
    `${name}: its digest is not hex of 48 bytes`,
  )
  const payload = decodeHex(entry.event_payload)
  check(payload !== undefined, `${name}: its payload is not hex`)
  const isRuntime = entry.event_type === RUNTIME_EVENT
  const event = { imr: entry.imr, isRuntime, name: entry.event, payload }
  if (!isRuntime) {
    check(given.length > 0, `${name}: it has no digest`)
    return { ...event, digest: given }
  }
  const digest = sha384Of(preimageOf(entry, payload, name))
  check(given.length === 0 || sameBytes(given, digest), `${name}: its digest is of something else`)
  return { ...event, digest }
}

/** What an event's digest is of, by its version; none said is version 1. */
function preimageOf(entry: Entry, payload: Uint8Array, name: string): Uint8Array {
  const { version = 1 } = entry
  if (version === 1) return preimageOfVersion1(entry.event, payload)
  check(version === 2, `${name}: version ${version} is not known`)
  const preimage = preimageOfVersion2(entry.event, payload)
  const given = entry.preimage === undefined ? undefined : decodeHex(entry.preimage)
  check(given !== undefined, `${name}: version 2 needs its preimage in hex`)
  check(sameBytes(given, preimage), `${name}: its preimage is of something else`)
  return preimage
}

const encoder = new TextEncoder()

/** The type as four bytes, least first, the name and the payload, with colons between them. */
function preimageOfVersion1(name: string, payload: Uint8Array): Uint8Array {
  const head = new Uint8Array([...uint32(RUNTIME_EVENT), ...encoder.encode(`:${name}:`)])
  const preimage = new Uint8Array(head.length + payload.length)
  preimage.set(head)
  preimage.set(payload, head.length)
  return preimage
}

/** RFC 8785: members by name, nothing between them. `JSON.stringify` writes strings as it asks. */
function preimageOfVersion2(name: string, payload: Uint8Array): Uint8Array {
  return encoder.encode(JSON.stringify({ name, payload: encodeHex(payload), type: RUNTIME_EVENT }))
}

function uint32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24]
}
