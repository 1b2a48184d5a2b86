/** Runtime events may lack their digest. */
import { createHash } from 'node:crypto'

import { SpecViolation, isFields } from './http.ts'

const RUNTIME_EVENT = 0x08000001

/** Parses the events and adds missing digests, as a verifier needs them. */
export function filledEventLog(json: string): { digest: string }[] {
  const events: unknown = JSON.parse(json)
  if (!Array.isArray(events)) throw new SpecViolation('event_log holds no events')
  return events.map((event) => {
    if (!isFields(event)) throw new SpecViolation('an event is an object')
    const given = typeof event['digest'] === 'string' ? event['digest'] : ''
    const missing = given === '' && event['event_type'] === RUNTIME_EVENT
    return { ...event, digest: missing ? runtimeDigest(event) : given }
  })
}

function runtimeDigest(event: Record<string, unknown>): string {
  const type = Buffer.alloc(4)
  type.writeUInt32LE(RUNTIME_EVENT)
  return createHash('sha384')
    .update(type)
    .update(':')
    .update(String(event['event']))
    .update(':')
    .update(Buffer.from(String(event['event_payload']), 'hex'))
    .digest('hex')
}
