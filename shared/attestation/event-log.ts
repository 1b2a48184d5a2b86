/** Parses event logs of dstack's guest agent (dstack, `cc-eventlog`). */
import { z } from 'zod'
import { joinBytes, sameBytes } from '../encoding/bytes.ts'
import { decodeHex, encodeHex } from '../encoding/hex.ts'
import { ATTESTATION_MAX_BYTES, EVENTS_MAX } from '../limits.ts'
import { check, CheckFailedError, quoted } from './check-failed.ts'
import { sha384Of } from './digests.ts'
import { firstIssue, parseEvidenceJson } from './parse-evidence-json.ts'
import type { Attestation } from './evidence.ts'

/** Type of the events that software extends into RTMR3 at run time. */
const RUNTIME_EVENT = 0x08000001
const DIGEST_BYTES = 48

const eventSchema = z.object({
  imr: z.int().min(0).max(3),
  event_type: z.int().min(0).max(0xffffffff),
  digest: z.string(),
  event: z.string(),
  event_payload: z.string(),
  version: z.int().optional(),
  /** Preimage of the digest, in hex. Present only in version 2 of the event format. */
  preimage: z.string().optional(),
})
const logSchema = z.array(eventSchema).max(EVENTS_MAX)
type EventLogEntry = z.infer<typeof eventSchema>

export type MeasuredEvent = {
  imr: number
  isRuntime: boolean
  name: string
  payload: Uint8Array
  digest: Uint8Array
}

/**
 * Parses an event log. Computes missing digests of runtime events, and verifies the other digests.
 * @throws {CheckFailedError} if the log does not parse, has an unknown version, or contains a wrong digest
 */
export function parseEventLog(log: string): MeasuredEvent[] {
  return entriesOf(log).map(measuredEvent)
}

/** Adds the missing digests to an event log, because dstack's official verifier requires them. */
function withDigests(log: string): string {
  const entries = entriesOf(log)
  return JSON.stringify(
    entries.map((entry, at) => ({ ...entry, digest: encodeHex(measuredEvent(entry, at).digest) })),
  )
}

function entriesOf(log: string): EventLogEntry[] {
  check(log.length <= ATTESTATION_MAX_BYTES, 'the event log is too long')
  const result = logSchema.safeParse(parseEvidenceJson('the event log', log, z.unknown()))
  if (result.success) return result.data
  throw new CheckFailedError(`the event log is invalid: ${firstIssue(result.error)}`)
}

function measuredEvent(entry: EventLogEntry, at: number): MeasuredEvent {
  const name = `event ${at} (${quoted(entry.event)})`
  const given = decodeHex(entry.digest)
  check(
    given !== undefined && given.length <= DIGEST_BYTES,
    `${name}: expected a digest of 48-byte hex`,
  )
  const payload = decodeHex(entry.event_payload)
  check(payload !== undefined, `${name}: expected a payload in hex`)
  const isRuntime = entry.event_type === RUNTIME_EVENT
  const event = { imr: entry.imr, isRuntime, name: entry.event, payload }
  if (!isRuntime) {
    check(given.length > 0, `${name}: missing digest`)
    return { ...event, digest: given }
  }
  const digest = sha384Of(preimageOf(entry, payload, name))
  check(given.length === 0 || sameBytes(given, digest), `${name}: its digest does not match`)
  return { ...event, digest }
}

/** An event without a version number uses version 1 of the format. */
function preimageOf(entry: EventLogEntry, payload: Uint8Array, name: string): Uint8Array {
  const { version = 1 } = entry
  if (version === 1) return preimageOfVersion1(entry.event, payload)
  check(version === 2, `${name}: unknown version ${version}`)
  const preimage = preimageOfVersion2(entry.event, payload)
  const given = entry.preimage === undefined ? undefined : decodeHex(entry.preimage)
  check(given !== undefined, `${name}: version 2 requires a preimage in hex`)
  check(sameBytes(given, preimage), `${name}: its preimage does not match`)
  return preimage
}

const encoder = new TextEncoder()

/**
 * Preimage in version 1 of the format: event type (four little-endian bytes), name and payload, separated by colons.
 */
function preimageOfVersion1(name: string, payload: Uint8Array): Uint8Array {
  const type = new Uint8Array(4)
  new DataView(type.buffer).setUint32(0, RUNTIME_EVENT, true)
  return joinBytes(type, encoder.encode(`:${name}:`), payload)
}

/**
 * Preimage in version 2 of the format: canonical JSON (RFC 8785). `JSON.stringify` escapes strings as the RFC requires.
 */
function preimageOfVersion2(name: string, payload: Uint8Array): Uint8Array {
  return encoder.encode(JSON.stringify({ name, payload: encodeHex(payload), type: RUNTIME_EVENT }))
}

/**
 * Builds the input for dstack's official verifier, which also recomputes the measurements of the operating system.
 * @throws {CheckFailedError} if a digest in the event log does not match its event
 */
export function dstackVerifierInput({ quote, event_log, vm_config }: Attestation) {
  return {
    quote: quote.replace(/^0x/, ''),
    event_log: withDigests(event_log),
    vm_config,
    attestation: null,
  }
}
