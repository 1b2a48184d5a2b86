import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Parsed, ParseTurns } from './parse-turns.ts'
import { ReceivedBytes } from './received-bytes.ts'

/** Ends every head of a request, and every chunked body. */
const HEAD_END = '\r\n\r\n'

/** Bytes that are parsed at once: as many as take about 0.2 ms. */
const SLICE_MIN_BYTES = 512
const SLICE_MAX_BYTES = 16 * 1024
const FIRST_SLICE_BYTES = 4 * 1024
const SLICE_MIN_MS = 0.1
const SLICE_MAX_MS = 0.3

/** What a request costs after its head was parsed, at least: its handler runs on the same thread. */
const REQUEST_MS = 0.3

/** A cost counts half after this time. */
const COST_HALF_LIFE_MS = 1_000

/** A client that does not take this part of an answer in time is gone, or holds its memory on purpose. */
const ANSWER_PART_BYTES = 64 * 1024
const ANSWER_STALL_MS = 60_000

/** After a refusal a client may go on sending this much for so long: closing at once could lose the answer. */
const LINGER_BYTES = 256 * 1024
const LINGER_MS = 1_000

/** Received bytes that may wait for a turn. TCP slows the sender down then. */
const WAITING_MAX_BYTES = 64 * 1024

type Done = (error?: Error | null) => void

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
  readonly #received = new ReceivedBytes()
  #isRefused = false
  #isTrusted = false
  #sliceBytes = FIRST_SLICE_BYTES
  #request: IncomingMessage | undefined
  /** Of a body with a Content-Length: bytes that were not parsed yet. */
  #bodyLeft = 0
  #requestsBegun = 0
  #answersDue = 0
  #stall: NodeJS.Timeout | undefined
  #costMs = 0
  #costAt = performance.now()

  /** @param onTrusted says whether the connection of this holder is trusted from now on */
  constructor(tls: TLSSocket, turns: ParseTurns, onTrusted: (holder: string) => boolean) {
    // At most one slice is parsed ahead of a request that is not read.
    super({ readableHighWaterMark: 1, allowHalfOpen: true })
    this.#tls = tls
    this.#turns = turns
    this.#onTrusted = onTrusted
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
    // Where TLS cuts through the end of a request, a slice can begin the next one. More than that one never begins.
    const mayBegin = this.#answersDue <= (this.#isInBody ? 1 : 0)
    // A slice that Node's server is not ready for would be parsed later, and its cost not be seen.
    const isTaken = this.readableFlowing === true && this.readableLength === 0
    return isTaken && this.#received.length > 0 && mayBegin && !this.destroyed
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
    if (this.#received.length === 0) this.#receiveMore()
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
    this.#bodyLeft = Number(response.req.headers['content-length'] ?? 0)
    response.once('close', () => {
      this.#answersDue--
      if (this.#received.length === 0) this.#receiveMore()
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
    this.#received.clear()
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
    if (this.#received.length > WAITING_MAX_BYTES) this.#tls.pause()
    this.#turns.schedule(this)
  }

  #receiveMore(): void {
    if (this.#tls.isPaused() && !this.#isRefused) this.#tls.resume()
  }

  /** A client that has closed its side is gone, as for Node's server. Requests that wait for their turn are dropped. */
  #end(): void {
    this.#received.clear()
    this.push(null)
  }

  get #isInBody(): boolean {
    return this.#request !== undefined && !this.#request.complete
  }

  /** Takes the next slice. It ends where a request or its head ends, so that no slice begins many requests. */
  #cut(): Buffer {
    const isCounted = this.#isInBody && this.#bodyLeft > 0
    const most = isCounted ? Math.min(this.#sliceBytes, this.#bodyLeft) : this.#sliceBytes
    let slice = this.#received.first(most)
    const at = isCounted ? -1 : slice.indexOf(HEAD_END)
    if (at !== -1) slice = slice.subarray(0, at + HEAD_END.length)
    if (isCounted) this.#bodyLeft -= slice.length
    this.#received.skip(slice.length)
    return slice
  }

  /** Writes a part at a time: a client that reads slowly is told from one that does not read. */
  #send(bytes: Buffer, done: Done): void {
    const part = bytes.subarray(0, ANSWER_PART_BYTES)
    this.#limitStall()
    this.#tls.write(part, (error) => {
      clearTimeout(this.#stall)
      this.#stall = undefined
      if (error || part.length === bytes.length) done(error)
      else this.#send(bytes.subarray(part.length), done)
    })
  }

  #limitStall(): void {
    clearTimeout(this.#stall)
    this.#stall = setTimeout(() => this.destroy(), ANSWER_STALL_MS)
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
