import { Worker } from 'node:worker_threads'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import {
  SOURCE_CIDS_PER_MINUTE,
  SOURCE_CIDS_WAITING_MAX,
  SOURCE_MAX_BYTES,
} from '../../../shared/limits.ts'
import { LimitExceededError } from '../../admission/call-rate.ts'
import { MinuteRate } from '../../admission/minute-rate.ts'
import { beginsAsString, type SourceFault, readSource, InvalidSourceError } from './json-source.ts'

/** Source to hash. `bytes` contains the source in UTF-8 or, for the kind `json`, a JSON string with the source. */
export type CidJob = { kind: 'source' | 'json'; bytes: Uint8Array<ArrayBuffer> }
export type CidResult = { cid: string } | { fault: SourceFault } | { failed: string }

/**
 * Maximum size of a source that is hashed on the main thread. This takes about half a millisecond, less than the
 * overhead of using the worker thread.
 */
const INLINE_BYTES = 128 * 1024

/** The worker thread takes 0.2 s for the largest source. */
const QUEUE_RETRY_MS = 1_000

type QueuedJob = {
  job: CidJob
  resolve: (cid: string) => void
  reject: (error: Error) => void
}

/**
 * Computes the CIDs of sources. Large sources are parsed and hashed in a worker thread, to keep the main thread free.
 */
export class SourceCids {
  readonly rate: MinuteRate
  #worker: Worker | undefined
  #current: QueuedJob | undefined
  /** Jobs for runs, which take precedence over jobs of clients without an API key. */
  readonly #runs: QueuedJob[] = []
  readonly #keyless: QueuedJob[] = []

  /** @param now clock that returns Unix milliseconds */
  constructor(now: () => number) {
    this.rate = new MinuteRate({ max: SOURCE_CIDS_PER_MINUTE, what: 'source CIDs', now })
  }

  async of(source: string): Promise<string> {
    if (source.length <= INLINE_BYTES) return actionCid(source)
    return this.#enqueue(this.#runs, { kind: 'source', bytes: new TextEncoder().encode(source) })
  }

  /**
   * Computes the CID of a source for a client without an API key. The JSON text must consist of a single string, the
   * action source.
   * @throws {InvalidSourceError | LimitExceededError}
   */
  async fromJson(json: Uint8Array): Promise<string> {
    if (json.length <= INLINE_BYTES) return actionCid(readSource(json, SOURCE_MAX_BYTES))
    if (!beginsAsString(json)) throw new InvalidSourceError({ reason: 'not_a_string' })
    if (this.#keyless.length >= SOURCE_CIDS_WAITING_MAX)
      throw new LimitExceededError('too many large sources are queued', QUEUE_RETRY_MS)
    return this.#enqueue(this.#keyless, { kind: 'json', bytes: transferable(json) })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #enqueue(line: QueuedJob[], job: CidJob): Promise<string> {
    return new Promise((resolve, reject) => {
      line.push({ job, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#current) return
    this.#current = this.#runs.shift() ?? this.#keyless.shift()
    if (!this.#current) return
    const { job } = this.#current
    this.#worker ??= this.#start()
    this.#worker.postMessage(job, [job.bytes.buffer])
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { env: {}, execArgv: [] })
    const gone = () => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#jobEnded({ failed: 'the worker thread exited' })
    }
    worker.on('message', (answer: CidResult) => this.#jobEnded(answer))
    worker.on('error', gone).on('exit', gone)
    // Do not let the worker thread keep the process alive.
    worker.unref()
    return worker
  }

  #jobEnded(answer: CidResult): void {
    const asked = this.#current
    this.#current = undefined
    if (asked) settle(asked, answer)
    this.#next()
  }
}

function settle({ resolve, reject }: QueuedJob, answer: CidResult): void {
  if ('cid' in answer) resolve(answer.cid)
  else if ('fault' in answer) reject(new InvalidSourceError(answer.fault))
  else reject(new Error(`the CID could not be computed: ${answer.failed}`))
}

/** Copies a part of a larger buffer. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes)
}
