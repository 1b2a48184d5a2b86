import { createHash } from 'node:crypto'

/** Type of the events that dstack measures into RTMR3 at run time (dstack, `runtime_events.rs`). */
const RUNTIME_EVENT = 0x08000001
const RTMR_BYTES = 48

export type RuntimeEvent = { event: string; payload: Buffer }

/**
 * Returns the boot events in the order in which dstack measures them. The key-provider event does not name a real
 * provider.
 */
export function bootEvents(app: { appId: Buffer; composeHash: Buffer }): RuntimeEvent[] {
  const nothing = Buffer.alloc(0)
  const instanceId = createHash('sha256').update('simulated').update(app.appId).digest()
  return [
    { event: 'system-preparing', payload: nothing },
    { event: 'app-id', payload: app.appId },
    { event: 'compose-hash', payload: app.composeHash },
    { event: 'instance-id', payload: instanceId.subarray(0, 20) },
    { event: 'boot-mr-done', payload: nothing },
    { event: 'key-provider', payload: Buffer.from('{"name":"simulated","id":""}') },
    { event: 'system-ready', payload: nothing },
  ]
}

export function eventLogOf(events: readonly RuntimeEvent[]): string {
  return JSON.stringify(
    events.map(({ event, payload }) => ({
      imr: 3,
      event_type: RUNTIME_EVENT,
      digest: '',
      event,
      event_payload: payload.toString('hex'),
    })),
  )
}

export function measureEvents(events: readonly RuntimeEvent[]): Buffer {
  let rtmr: Buffer = Buffer.alloc(RTMR_BYTES)
  for (const event of events)
    rtmr = createHash('sha384').update(rtmr).update(digestOf(event)).digest()
  return rtmr
}

function digestOf({ event, payload }: RuntimeEvent): Buffer {
  const type = Buffer.alloc(4)
  type.writeUInt32LE(RUNTIME_EVENT)
  const hash = createHash('sha384').update(type).update(':').update(event).update(':')
  return hash.update(payload).digest()
}
