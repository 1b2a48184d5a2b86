import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Parsed, ParseTurns } from './parse-turns.ts'

/** Every head of a request ends so, and so does every chunked body. */
const HEAD_END = '\r\n\r\n'

/** Bytes that are parsed at once: as many as take about 0.2 ms. */
const SLICE_MIN_BYTES = 512
const SLICE_MAX_BYTES = 64 * 1024
const FIRST_SLICE_BYTES = 4 * 1024
const SLICE_MIN_MS = 0.1
const SLICE_MAX_MS = 0.3

/** What a request costs after its head was parsed, at least: its handler runs on the same thread. */
const REQUEST_MS = 0.3

/** A cost counts half after this time. */
const COST_HALF_LIFE_MS = 1_000

/** A client that takes no byte of an answer for this long is gone, or holds its memory on purpose. */
const ANSWER_STALL_MS = 60_000

/** After a refusal a client may go on sending this much for so long: closing at once could lose the answer. */
const LINGER_BYTES = 256 * 1024
const LINGER_MS = 1_000

/** Received bytes that may wait for a turn. TCP slows the sender down then. */
const WAITING_MAX_BYTES = 64 * 1024

/**
 * One connection between TLS and Node's HTTP parser, which would parse all that a socket delivers in one go. It gives the
 * parser a slice at a time, in turns with other connections, and no further request before the answer to the last one is
 * sent: pipelined requests wait at their sender.
 */
export class PacedConnection extends Duplex implements Parsed {
  readonly encrypted = true
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly #tls: TLSSocket
  readonly #turns: ParseTurns
  readonly #onTrusted: (holder: string) => boolean
  #received: Buffer[] = []
  #receivedBytes = 0
  #isEnded = false
  #isRefused = false
  #isTrusted = false
  #sliceBytes = FIRST_SLICE_BYTES
  #request: IncomingMessage | undefined
  #requestsBegun = 0
  #answersDue = 0
  #costMs = 0
  #costAt = performance.now()

  /** @param onTrusted says whether the connection of this holder is trusted from now on */
  constructor(tls: TLSSocket, turns: ParseTurns, onTrusted: (holder: string) => boolean) {
    // At most one slice is parsed ahead of a request that is not read.
    super({ readableHighWaterMark: 1, allowHalfOpen: true })
    this.#tls = tls
    this.#turns = turns
    this.#onTrusted = onTrusted
    // Requests that wait for their turn are answered after the client's end.
    tls.allowHalfOpen = true
    this.remoteAddress = tls.remoteAddress
    this.remotePort = tls.remotePort
    tls
      .on('data', (bytes: Buffer) => this.#receive(bytes))
      .on('end', () => this.#end())
      .on('timeout', () => this.emit('timeout'))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy())
    this.on('resume', () => turns.schedule(this))
  }

  get isTrusted(): boolean {
    return this.#isTrusted
  }

  get recentMs(): number {
    return this.#costMs * 0.5 ** ((performance.now() - this.#costAt) / COST_HALF_LIFE_MS)
  }

  get isReady(): boolean {
    const isBetweenRequests = this.#request === undefined || this.#request.complete
    const mayBegin = !isBetweenRequests || this.#answersDue === 0
    // A slice that Node's server is not ready for would be parsed later, and its cost not be seen.
    const isTaken = this.readableFlowing === true && this.readableLength === 0
    return isTaken && this.#receivedBytes > 0 && mayBegin && !this.destroyed
  }

  parseSome(): number {
    const slice = this.#cut()
    const begunBefore = this.#requestsBegun
    const before = performance.now()
    this.push(slice)
    const parsingMs = performance.now() - before
    if (parsingMs > SLICE_MAX_MS)
      this.#sliceBytes = Math.max(SLICE_MIN_BYTES, this.#sliceBytes >> 1)
    else if (parsingMs < SLICE_MIN_MS && slice.length === this.#sliceBytes)
      this.#sliceBytes = Math.min(SLICE_MAX_BYTES, this.#sliceBytes << 1)
    if (this.#receivedBytes === 0) this.#receiveMore()
    const cost = parsingMs + REQUEST_MS * (this.#requestsBegun - begunBefore)
    this.#costMs = this.recentMs + cost
    this.#costAt = performance.now()
    return cost
  }

  /** Called by a request when its head was parsed. */
  requestBegun(request: IncomingMessage): void {
    this.#request = request
    this.#requestsBegun++
  }

  /** Called by the response of that request. */
  answerDue(response: ServerResponse): void {
    this.#answersDue++
    response.once('close', () => {
      this.#answersDue--
      if (this.#receivedBytes === 0) this.#receiveMore()
      else this.#turns.schedule(this)
    })
  }

  /** The client has shown a credential: from now on a flood by others neither delays nor closes its connection. */
  trust(holder: string): void {
    this.#isTrusted ||= this.#onTrusted(holder)
  }

  /** Nothing that comes now is parsed. The answer to the refused request can still be sent. */
  stopReading(): void {
    this.#isRefused = true
    this.#received = []
    this.#receivedBytes = 0
    this.#tls.pause()
  }

  /** For Node's server, which knows sockets. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#tls.setTimeout(ms)
    if (onTimeout) this.once('timeout', onTimeout)
    return this
  }

  /** Closes once everything is written. For Node's server, which knows sockets. */
  destroySoon(): void {
    this.end()
    if (this.#isRefused) this.#linger()
    else if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  override _read(): void {
    this.#turns.schedule(this)
  }

  override _write(
    chunk: Buffer,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#tls.write(chunk, encoding, this.#inTime(done))
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    const last = chunks.pop()!
    this.#tls.cork()
    for (const { chunk, encoding } of chunks) this.#tls.write(chunk, encoding)
    this.#tls.write(last.chunk, last.encoding, this.#inTime(done))
    this.#tls.uncork()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#tls.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#tls.destroy()
    done(error)
  }

  #receive(bytes: Buffer): void {
    if (this.#isRefused) return
    this.#received.push(bytes)
    this.#receivedBytes += bytes.length
    if (this.#receivedBytes > WAITING_MAX_BYTES) this.#tls.pause()
    this.#turns.schedule(this)
  }

  #receiveMore(): void {
    if (this.#isEnded && this.#answersDue === 0) this.push(null)
    else if (this.#tls.isPaused() && !this.#isRefused) this.#tls.resume()
  }

  /** The client sends nothing more. A client without a request that waits for its turn is gone, as Node's server has it. */
  #end(): void {
    this.#isEnded = true
    if (this.#receivedBytes === 0) this.push(null)
  }

  /** Takes the next slice. It ends with the head of a request, so that no slice begins many of them. */
  #cut(): Buffer {
    const first = this.#received[0]!
    const most = first.subarray(0, this.#sliceBytes)
    const at = most.indexOf(HEAD_END)
    const slice = at === -1 ? most : most.subarray(0, at + HEAD_END.length)
    if (slice.length === first.length) this.#received.shift()
    else this.#received[0] = first.subarray(slice.length)
    this.#receivedBytes -= slice.length
    return slice
  }

  #inTime(done: (error?: Error | null) => void): (error?: Error | null) => void {
    const timer = setTimeout(() => this.destroy(), ANSWER_STALL_MS)
    return (error) => {
      clearTimeout(timer)
      done(error)
    }
  }

  #linger(): void {
    let bytes = 0
    this.#tls.on('data', (data: Buffer) => {
      bytes += data.length
      if (bytes > LINGER_BYTES) this.destroy()
    })
    this.#tls.resume()
    const timer = setTimeout(() => this.destroy(), LINGER_MS)
    this.once('close', () => clearTimeout(timer))
  }
}
