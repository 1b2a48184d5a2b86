/** Copies log lines to a collector, as JSON lines. */
import {
  CollectorQueue,
  type CollectorQueueOptions,
  QUEUE_MAX_BYTES,
} from '../telemetry/collector-queue.ts'

export { QUEUE_MAX_BYTES }

const REFUSALS = new Set([400, 413, 415, 422])

type LogSinkOptions = Omit<CollectorQueueOptions, 'headers' | 'encode' | 'isRefusal'> & {
  /** Sent as a bearer token. */
  token: string | undefined
}

export class LogSink extends CollectorQueue {
  constructor({ token, ...options }: LogSinkOptions) {
    super({
      ...options,
      headers: {
        'content-type': 'application/x-ndjson',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // Each line includes its line feed.
      encode: (lines) => lines.join(''),
      isRefusal: (status) => REFUSALS.has(status),
    })
  }
}
