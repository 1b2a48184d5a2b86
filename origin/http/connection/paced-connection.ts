import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { SchedulableConnection, ParseScheduler } from './parse-scheduler.ts'
import { ReceivedBytes } from './received-bytes.ts'

/** Byte sequence that ends a request's head, and a chunked body. */
const HEAD_END = '\r\n\r\n'

/** Slice sizes are adapted within these limits, so that parsing a slice takes about 0.2 ms. */
const SLICE_MIN_BYTES = 512
const SLICE_MAX_BYTES = 16 * 1024
const FIRST_SLICE_BYTES = 4 * 1024
const SLICE_MIN_MS = 0.1
const SLICE_MAX_MS = 0.3

/** Estimated time that a request's handler runs on the main thread. */
const REQUEST_MS = 0.3

const COST_HALF_LIFE_MS = 1_000

/** Size of a part of a response. A client that does not read a part within the time limit is disconnected. */
const RESPONSE_PART_BYTES = 64 * 1024
const RESPONSE_STALL_MS = 60_000

/**
 * Amount of data that a client may still send after a rejection. Closing the connection immediately could lose the
 * response.
 */
const LINGER_BYTES = 256 * 1024
const LINGER_MS = 1_000

/** Number of unparsed bytes above which the socket is paused, so that TCP slows the sender down. */
const UNPARSED_MAX_BYTES = 64 * 1024

type Done = (error?: Error | null) => void

/**
 * Stream between TLS and Node's HTTP parser. Without this stream, the parser would process all delivered bytes in one
 * go. Passes one slice at a time to the parser, taking turns with other connections. Does not start another request
 * before the previous response is sent, so that pipelined requests wait at the sender.
 */
export class PacedConnection extends Duplex implements SchedulableConnection {
  readonly encrypted = true
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly #tls: TLSSocket
  readonly #scheduler: ParseScheduler
  readonly #onTrusted: (holder: string) => boolean
  readonly #received = new ReceivedBytes()
  #isRefused = false
  #isTrusted = false
  #sliceBytes = FIRST_SLICE_BYTES
  #request: IncomingMessage | undefined
  /** Unparsed bytes of the current body; 0 if the request has no Content-Length. */
  #bodyLeft = 0
  #requestsStarted = 0
  #pendingResponses = 0
  #stall: NodeJS.Timeout | undefined
  #costMs = 0
  #costAt = performance.now()

  /**
   * @param onTrusted called when the client is authenticated; returns false if the holder's share of trusted
   * connections is used up
   */
  constructor(tls: TLSSocket, scheduler: ParseScheduler, onTrusted: (holder: string) => boolean) {
    // Limits read-ahead to one slice while a request's body is not being read.
    super({ readableHighWaterMark: 1, allowHalfOpen: true })
    this.#tls = tls
    this.#scheduler = scheduler
    this.#onTrusted = onTrusted
    this.remoteAddress = tls.remoteAddress
    this.remotePort = tls.remotePort
    tls
      .on('data', (bytes: Buffer) => this.#receive(bytes))
      .on('end', () => this.#end())
      .on('timeout', () => this.emit('timeout'))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy())
    this.on('resume', () => scheduler.schedule(this))
  }

  get isTrusted(): boolean {
    return this.#isTrusted
  }

  get recentMs(): number {
    return this.#costMs * 0.5 ** ((performance.now() - this.#costAt) / COST_HALF_LIFE_MS)
  }

  get isReady(): boolean {
    // If a TLS record boundary splits the end of a head, one slice can start one additional request, but never two.
    const mayBegin = this.#pendingResponses <= (this.#isInBody ? 1 : 0)
    // Do not push data while Node's server has paused this stream. The data would only be buffered, and parsed later,
    // when the cost of parsing is not measured.
    const isTaken = this.readableFlowing === true && this.readableLength === 0
    return isTaken && this.#received.length > 0 && mayBegin && !this.destroyed
  }

  parseSlice(): number {
    const slice = this.#nextSlice()
    const begunBefore = this.#requestsStarted
    const before = performance.now()
    this.push(slice)
    const parsingMs = performance.now() - before
    if (parsingMs > SLICE_MAX_MS)
      this.#sliceBytes = Math.max(SLICE_MIN_BYTES, this.#sliceBytes >> 1)
    else if (parsingMs < SLICE_MIN_MS && slice.length === this.#sliceBytes)
      this.#sliceBytes = Math.min(SLICE_MAX_BYTES, this.#sliceBytes << 1)
    if (this.#received.length === 0) this.#resumeReceiving()
    const cost = parsingMs + REQUEST_MS * (this.#requestsStarted - begunBefore)
    this.#costMs = this.recentMs + cost
    this.#costAt = performance.now()
    return cost
  }

  requestStarted(request: IncomingMessage): void {
    this.#request = request
    this.#requestsStarted++
  }

  responsePending(response: ServerResponse): void {
    this.#pendingResponses++
    this.#bodyLeft = Number(response.req.headers['content-length'] ?? 0)
    response.once('close', () => {
      this.#pendingResponses--
      if (this.#received.length === 0) this.#resumeReceiving()
      else this.#scheduler.schedule(this)
    })
  }

  /** Marks the client as trusted, so that a flood from other clients neither delays nor closes the connection. */
  trust(holder: string): void {
    this.#isTrusted ||= this.#onTrusted(holder)
  }

  /** Permanently stops reading from the client. The response to the rejected request can still be sent. */
  stopReading(): void {
    this.#isRefused = true
    this.#received.clear()
    this.#tls.pause()
  }

  /** Called by Node's server. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#tls.setTimeout(ms)
    if (onTimeout) this.once('timeout', onTimeout)
    return this
  }

  /** Closes the connection after all data has been written, as `net.Socket` does. */
  destroySoon(): void {
    this.end()
    if (this.#isRefused) this.#linger()
    else if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  override _read(): void {
    this.#scheduler.schedule(this)
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: Done): void {
    this.#send(chunk, done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done): void {
    this.#tls.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#stall)
    this.#tls.destroy()
    done(error)
  }

  #receive(bytes: Buffer): void {
    if (this.#isRefused) return
    this.#received.add(bytes)
    if (this.#received.length > UNPARSED_MAX_BYTES) this.#tls.pause()
    this.#scheduler.schedule(this)
  }

  #resumeReceiving(): void {
    if (this.#tls.isPaused() && !this.#isRefused) this.#tls.resume()
  }

  // Drops requests that have not started, because Node's server treats a client that closed its side as disconnected.
  #end(): void {
    this.#received.clear()
    this.push(null)
  }

  get #isInBody(): boolean {
    return this.#request !== undefined && !this.#request.complete
  }

  /** A slice stops at the end of a head or body, so that one slice cannot start many requests. */
  #nextSlice(): Buffer {
    const isCounted = this.#isInBody && this.#bodyLeft > 0
    const most = isCounted ? Math.min(this.#sliceBytes, this.#bodyLeft) : this.#sliceBytes
    let slice = this.#received.first(most)
    const at = isCounted ? -1 : slice.indexOf(HEAD_END)
    if (at !== -1) slice = slice.subarray(0, at + HEAD_END.length)
    if (isCounted) this.#bodyLeft -= slice.length
    this.#received.skip(slice.length)
    return slice
  }

  /** Sends a response one part at a time, to distinguish a slow reader from a client that does not read at all. */
  #send(bytes: Buffer, done: Done): void {
    const part = bytes.subarray(0, RESPONSE_PART_BYTES)
    this.#limitStall()
    this.#tls.write(part, (error) => {
      clearTimeout(this.#stall)
      this.#stall = undefined
      if (error || this.destroyed || part.length === bytes.length) done(error)
      else this.#send(bytes.subarray(part.length), done)
    })
  }

  #limitStall(): void {
    clearTimeout(this.#stall)
    this.#stall = setTimeout(() => this.destroy(), RESPONSE_STALL_MS)
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
