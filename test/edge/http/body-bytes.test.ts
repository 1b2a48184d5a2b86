import { describe, expect, it } from 'vitest'
import { readBody } from '../../../edge/http/body-bytes.ts'
import type { ApiError } from '../../../shared/errors/api-error.ts'

const KIB = 1024
const limits = (over: object = {}) => ({ maxBytes: 64 * KIB, withinMs: 10_000, ...over })

/** Creates a body that records how much of it was read, and whether it was cancelled. */
function source(chunk: Uint8Array, count = Number.POSITIVE_INFINITY) {
  const seen = { pulled: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.pulled++ < count) controller.enqueue(chunk.slice())
        else controller.close()
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { seen, stream }
}

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request('https://edge.test/webhook/x', { method: 'POST', body, headers })
}

const refusal = (read: Promise<unknown>) =>
  read.then(
    () => 'taken',
    ({ status, reason }: ApiError) => `${status} ${reason}`,
  )

describe('reading a body', () => {
  it.each([0, 1, 16 * KIB, 16 * KIB + 1, 64 * KIB])(
    'returns the whole body without a content length: %i bytes',
    async (size) => {
      const bytes = Uint8Array.from({ length: size }, (_, i) => i % 251)
      const { stream } = source(bytes, size === 0 ? 0 : 1)
      const body = await readBody(request(stream), limits())
      expect(body).toEqual(bytes)
      // The underlying buffer is sent to the Durable Object.
      expect(body.buffer.byteLength).toBe(size)
    },
  )

  it('returns the whole body if it arrives one byte at a time', async () => {
    const { stream } = source(new Uint8Array([7]), 20_000)
    expect(await readBody(request(stream), limits())).toEqual(new Uint8Array(20_000).fill(7))
  })

  it('returns no bytes without a body', async () => {
    expect(await readBody(request(null), limits())).toEqual(new Uint8Array())
  })
})

describe('an attack on memory', () => {
  it('endless body without a length: is rejected at the limit, and reading stops', async () => {
    const { seen, stream } = source(new Uint8Array(8 * KIB))
    expect(await refusal(readBody(request(stream), limits()))).toBe('413 payload_too_large')
    expect(seen.pulled).toBeLessThanOrEqual(10)
    expect(seen.cancelled).toBe(true)
  })

  it('declared length over the limit: is rejected without reading', async () => {
    const { seen, stream } = source(new Uint8Array(8 * KIB))
    const sent = request(stream, { 'content-length': `${64 * KIB + 1}` })
    expect(await refusal(readBody(sent, limits()))).toBe('413 payload_too_large')
    expect(seen.pulled).toBe(0)
  })

  it.each(['5', 'NaN', '-1', '1e9999', ''])(
    'false content length %j: the actual length counts',
    async (length) => {
      const sent = request('x'.repeat(64 * KIB + 1), { 'content-length': length })
      expect(await refusal(readBody(sent, limits()))).toBe('413 payload_too_large')
    },
  )

  it.each([undefined, '100'])('aborted body: is 400 with the content length %s', async (length) => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(10))
        // The runtime reports a disconnected client, and an object that moved, like this.
        controller.error(Object.assign(new Error('Network connection lost.'), { retryable: true }))
      },
    })
    const sent = request(broken, length === undefined ? {} : { 'content-length': length })
    expect(await refusal(readBody(sent, limits()))).toBe('400 bad_request')
  })

  it('slow loris: rejects a body that does not finish in time', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    void writer.write(new Uint8Array([123])).catch(() => {})
    const read = readBody(request(readable), limits({ withinMs: 50 }))
    expect(await refusal(read)).toBe('400 body_too_slow')
  })
})
