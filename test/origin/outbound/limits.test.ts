import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { speakEndlessly, answered, ask, refused, serving, speaking, textOf } from './requests.ts'

const MILLION = 1_000_000
const TOO_LARGE = 'outbound_response_too_large'

describe('the request limit', () => {
  it('allows the 50th request and rejects the 51st', async () => {
    const { server, run, url } = await serving((_request, response) => response.end())
    for (let i = 0; i < 50; i++) await answered(run, url)
    const { code, message } = await refused(run, url)
    expect(code).toBe('outbound_limit')
    expect(message).toBe('a run can make at most 50 outbound requests, including redirects')
    expect(server.received).toHaveLength(50)
  })

  it('applies to concurrent requests, of which ten are in flight at a time', async () => {
    let now = 0
    let most = 0
    const { server, run, url } = await serving((_request, response) => {
      most = Math.max(most, ++now)
      setTimeout(() => {
        now--
        response.end()
      }, 5)
    })
    const all = await Promise.all(Array.from({ length: 60 }, () => ask(run, url)))
    expect(all.filter(({ ok }) => ok)).toHaveLength(50)
    expect(all.slice(50).map((answer) => !answer.ok && answer.code)).toEqual(
      Array(10).fill('outbound_limit'),
    )
    expect(server.received).toHaveLength(50)
    expect(server.connections()).toBeLessThanOrEqual(10)
    expect(most).toBe(10)
  })

  it('includes rejected requests, because each may cause a DNS query', async () => {
    const { run, url } = await serving((_request, response) => response.end())
    for (let i = 0; i < 50; i++) await refused(run, 'http://10.0.0.1/')
    expect((await refused(run, url)).code).toBe('outbound_limit')
  })
})

describe('the response size limit', () => {
  it('accepts 1,000,000 bytes', async () => {
    const { run, url } = await serving((_request, response) =>
      response.end(Buffer.alloc(MILLION, 7)),
    )
    const { bytes } = await answered(run, url)
    expect(bytes.length).toBe(MILLION)
    expect(bytes.every((byte) => byte === 7)).toBe(true)
  })

  it.each([
    ['with a content-length', 'identity'],
    ['in chunks', 'chunked'],
  ])('rejects 1,000,001 bytes %s', async (_how, coding) => {
    const { run, url } = await serving((_request, response) => {
      const body = Buffer.alloc(MILLION + 1)
      if (coding !== 'chunked') response.setHeader('content-length', body.length)
      response.write(body.subarray(0, 10))
      response.end(body.subarray(10))
    })
    const { code, message } = await refused(run, url)
    expect(code).toBe(TOO_LARGE)
    expect(message).toMatch(/is longer than 1000000 bytes; request less data$/)
  })

  it('endless response: closes the connection at once, and answers the next request', async () => {
    const { server, run, url } = await speaking(speakEndlessly)
    expect((await refused(run, url)).code).toBe(TOO_LARGE)
    await expect.poll(() => server.open()).toBe(0)
    expect((await refused(run, url)).code).toBe(TOO_LARGE)
  })

  it('applies to statuses other than 200', async () => {
    const { run, url } = await serving((_request, response) =>
      response.writeHead(500).end(Buffer.alloc(MILLION + 1)),
    )
    expect((await refused(run, url)).code).toBe(TOO_LARGE)
  })

  it('one-byte chunks: a million of them take as much memory as one chunk of a million bytes', async () => {
    const chunk = Buffer.from('1\r\nx\r\n'.repeat(MILLION))
    const { run, url } = await speaking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      socket.write(chunk)
      socket.write('0\r\n\r\n')
    })
    const before = process.memoryUsage()
    const { bytes } = await answered(run, url)
    const after = process.memoryUsage()
    expect(bytes.length).toBe(MILLION)
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * MILLION)
    expect(after.external - before.external).toBeLessThan(30 * MILLION)
  })
})

describe('an encoded response', () => {
  const encoded = (encoding: string, body: Buffer) =>
    serving((_request, response) => response.setHeader('content-encoding', encoding).end(body))

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])('%s is decoded', async (encoding, encode) => {
    const { run, url } = await encoded(encoding, encode(Buffer.from('plain text')))
    expect(textOf(await answered(run, url))).toBe('plain text')
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('%s of 1,000,000 bytes is accepted, and of one more is rejected', async (encoding, encode) => {
    const most = await encoded(encoding, encode(Buffer.alloc(MILLION)))
    expect((await answered(most.run, most.url)).bytes.length).toBe(MILLION)
    const more = await encoded(encoding, encode(Buffer.alloc(MILLION + 1)))
    expect((await refused(more.run, more.url)).code).toBe(TOO_LARGE)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])('decompression bomb: %s of 50 MB is not unpacked', async (encoding, encode) => {
    const { run, url } = await encoded(encoding, encode(Buffer.alloc(50 * MILLION)))
    const before = process.memoryUsage.rss()
    expect((await refused(run, url)).code).toBe(TOO_LARGE)
    expect(process.memoryUsage.rss() - before).toBeLessThan(25 * MILLION)
  })

  it('decompression bomb: a nested one is not unpacked, even if its content is small', async () => {
    const members = Buffer.concat(Array<Buffer>(300_000).fill(gzipSync('')))
    const { run, url } = await encoded('gzip, gzip', gzipSync(members))
    expect((await refused(run, url)).code).toBe(TOO_LARGE)
  })

  it('with three nested encodings is rejected', async () => {
    const { run, url } = await encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('x'))))
    expect((await refused(run, url)).message).toMatch(/has more than 2 content encodings$/)
  })

  it.each([
    ['that is cut off', gzipSync('plain text that is long enough').subarray(0, 25)],
    ['that is none', Buffer.from('plain text')],
  ])('gzip %s is rejected', async (_what, body) => {
    const { run, url } = await encoded('gzip', body)
    expect((await refused(run, url)).message).toMatch(/is not valid gzip$/)
  })

  it('with an unknown encoding is left unchanged', async () => {
    const { run, url } = await encoded('zstd', Buffer.from('as it is'))
    expect(textOf(await answered(run, url))).toBe('as it is')
  })

  it('to a HEAD request is not decoded', async () => {
    const { run, url } = await encoded('gzip', Buffer.alloc(0))
    expect((await answered(run, url, { method: 'HEAD' })).bytes.length).toBe(0)
  })
})

describe('the request size limit', () => {
  it('allows a body of 1,000,000 bytes, and rejects one more', async () => {
    const { server, run, url } = await serving((_request, response) => response.end())
    await answered(run, url, { method: 'POST', body: Buffer.alloc(MILLION, 'x') })
    expect(server.received[0]?.body.length).toBe(MILLION)
    const { message } = await refused(run, url, { method: 'POST', body: Buffer.alloc(MILLION + 1) })
    expect(message).toBe('the request body can have at most 1000000 bytes')
  })

  it('allows 32,768 bytes of headers, and rejects one more', async () => {
    const { run, url } = await serving((_request, response) => response.end())
    // Node's own server has a lower limit and responds with 431.
    const of = (length: number) => ({
      headers: [['x-large', 'x'.repeat(length - 7)]] as [string, string][],
    })
    expect((await answered(run, url, of(32_768))).value.status).toBe(431)
    expect((await refused(run, url, of(32_769))).message).toMatch(
      /at most 256 headers with 32768 bytes in total$/,
    )
  })

  it('allows 256 headers, and rejects one more', async () => {
    const { run, url } = await serving((_request, response) => response.end())
    const of = (count: number) => ({
      headers: Array.from({ length: count }, (_, i): [string, string] => [`x-${i}`, '']),
    })
    expect((await answered(run, url, of(256))).value.status).toBe(200)
    expect((await refused(run, url, of(257))).message).toMatch(/at most 256/)
  })
})
