import { Worker } from 'node:worker_threads'
import { actionCid } from '../../../shared/cid.ts'
import {
  SOURCE_CIDS_PER_MINUTE,
  SOURCE_CIDS_WAITING_MAX,
  SOURCE_MAX_BYTES,
} from '../../../shared/limits.ts'
import { TooManyCalls } from '../../admission/call-rate.ts'
import { MinuteRate } from '../../admission/minute-rate.ts'
import { beginsAsString, type SourceFault, sourceIn, SourceRefused } from './json-source.ts'

/** `bytes` contains the source in UTF-8, or a JSON string with the source for the kind `json`. */
export type CidJob = { kind: 'source' | 'json'; bytes: Uint8Array<ArrayBuffer> }
export type CidAnswer = { cid: string } | { fault: SourceFault } | { failed: string }

/**
 * Sources up to this size are hashed on the main thread. This takes about half a millisecond, less than the overhead of
 * using the worker thread.
 */
const INLINE_BYTES = 128 * 1024

/** Retry delay for rejected callers. The worker thread takes 0.2 s for the largest source. */
const ROOM_AGAIN_MS = 1_000

type Waiting = {
  job: CidJob
  resolve: (cid: string) => void
  reject: (error: Error) => void
}

/** Large sources are parsed and hashed in a worker thread, to keep the main thread free. */
export class SourceCids {
  /** Rate limit for clients without an API key. */
  readonly rate: MinuteRate
  #worker: Worker | undefined
  #current: Waiting | undefined
  /** Jobs for runs, which take precedence over those of clients without an API key. */
  readonly #runs: Waiting[] = []
  readonly #keyless: Waiting[] = []

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.rate = new MinuteRate({ max: SOURCE_CIDS_PER_MINUTE, what: 'source CIDs', now })
  }

  async of(source: string): Promise<string> {
    if (source.length <= INLINE_BYTES) return actionCid(source)
    return this.#ask(this.#runs, { kind: 'source', bytes: new TextEncoder().encode(source) })
  }

  /**
   * For clients without an API key. The JSON text must consist of a single string, the action source.
   * @throws {SourceRefused
   * TooManyCalls}
   */
  async ofJson(json: Uint8Array): Promise<string> {
    if (json.length <= INLINE_BYTES) return actionCid(sourceIn(json, SOURCE_MAX_BYTES))
    if (!beginsAsString(json)) throw new SourceRefused({ reason: 'not_a_string' })
    if (this.#keyless.length >= SOURCE_CIDS_WAITING_MAX)
      throw new TooManyCalls('too many large sources are queued', ROOM_AGAIN_MS)
    return this.#ask(this.#keyless, { kind: 'json', bytes: owned(json) })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #ask(line: Waiting[], job: CidJob): Promise<string> {
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
      this.#answered({ failed: 'the worker thread exited' })
    }
    worker.on('message', (answer: CidAnswer) => this.#answered(answer))
    worker.on('error', gone).on('exit', gone)
    // The worker thread must not keep the process alive.
    worker.unref()
    return worker
  }

  #answered(answer: CidAnswer): void {
    const asked = this.#current
    this.#current = undefined
    if (asked) settle(asked, answer)
    this.#next()
  }
}

function settle({ resolve, reject }: Waiting, answer: CidAnswer): void {
  if ('cid' in answer) resolve(answer.cid)
  else if ('fault' in answer) reject(new SourceRefused(answer.fault))
  else reject(new Error(`the CID could not be computed: ${answer.failed}`))
}

/** Bytes whose buffer can be transferred to another thread. Copies a part of a larger buffer. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes)
}
