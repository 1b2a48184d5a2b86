import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startRawServer } from '../../doubles/web-server.ts'
import {
  answered,
  ask,
  closedAfterwards,
  refused,
  runWith,
  SHORT,
  speaking,
  textOf,
} from './requests.ts'

const quick = { times: SHORT }
const OK = 'HTTP/1.1 200 OK\r\n'

/** Sends the text byte by byte, and repeats it until the connection is closed. */
function drip(text: string, everyMs: number) {
  return (socket: Socket) => {
    let at = 0
    const timer = setInterval(() => socket.write(text[at++ % text.length]!), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}

describe('a slow server', () => {
  it('that does not respond times out, and its connection is closed', async () => {
    const { server, run, url } = await speaking(() => {}, quick)
    expect((await refused(run, url)).message).toMatch(
      /^127\.0\.0\.1:\d+ did not respond within 0\.3 s$/,
    )
    await expect.poll(() => server.open()).toBe(0)
  })

  it('slow loris: headers sent byte by byte do not extend the timeout', async () => {
    const { run, url } = await speaking(drip(`${OK}x-slow: yes\r\nx-more: `, 20), quick)
    expect((await refused(run, url)).message).toMatch(/did not respond within/)
  })

  it('that stalls within its body is dropped after the idle timeout', async () => {
    const { run, url } = await speaking(
      (socket) => socket.write(`${OK}content-length: 9\r\n\r\nab`),
      quick,
    )
    expect((await refused(run, url)).message).toMatch(
      /stalled for 0\.3 s while sending its response$/,
    )
  })

  it('slow loris: a body sent byte by byte ends with the run', async () => {
    const { server, run, url } = await speaking((socket) => {
      socket.write(`${OK}content-length: 1000000\r\n\r\n`)
      drip('x', 20)(socket)
    }, quick)
    const answer = ask(run, url)
    await new Promise((later) => setTimeout(later, 600))
    expect(server.open()).toBe(1)
    run.close()
    expect(await answer).toEqual({ ok: false, message: 'the request was aborted' })
    await expect.poll(() => server.open()).toBe(0)
  })

  it('that does not complete TLS times out', async () => {
    const { server, run } = await speaking(() => {}, quick)
    const { message } = await refused(run, `https://127.0.0.1:${server.port}/`)
    expect(message).toMatch(/^could not connect to 127\.0\.0\.1:\d+ within 1 s$/)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('that does not complete TLS is disconnected at the end of the run', async () => {
    // The TLS hello is not an HTTP request, so the server never responds.
    const { server, run } = await speaking(() => {})
    const answer = ask(run, `https://127.0.0.1:${server.port}/`)
    await expect.poll(() => server.open(), { timeout: 5_000 }).toBe(1)
    run.close()
    expect((await answer).ok).toBe(false)
    await expect.poll(() => server.open(), { timeout: 5_000 }).toBe(0)
  })

  it('that stalls in the body of a redirect does not delay following it', async () => {
    const end = closedAfterwards(
      await startRawServer((socket) => socket.end(`${OK}content-length: 2\r\n\r\nhi`)),
    )
    const from = closedAfterwards(
      await startRawServer((socket) =>
        socket.write(
          `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${end.port}/\r\ncontent-length: 9\r\n\r\n`,
        ),
      ),
    )
    const run = runWith([end.port, from.port])
    expect(textOf(await answered(run, `http://127.0.0.1:${from.port}/`))).toBe('hi')
    await expect.poll(() => from.open(), { timeout: 3_000 }).toBe(0)
  })
})

describe('a server that breaks HTTP/1.1', () => {
  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', /that is not HTTP\/1\.1$/],
    ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n', /that is not HTTP\/1\.1$/],
    [
      'fewer bytes than its content-length',
      `${OK}content-length: 10\r\n\r\nabc`,
      /complete$|does not match its content-length$/,
    ],
    [
      'two content-lengths',
      `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
      /does not match its content-length$/,
    ],
    ['a negative content-length', `${OK}content-length: -1\r\n\r\n`, /that is not HTTP\/1\.1$/],
    [
      'a content-length that overflows',
      `${OK}content-length: 99999999999999999999\r\n\r\n`,
      /does not match its content-length$/,
    ],
    [
      'both content-length and chunks',
      `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /that is not HTTP\/1\.1$|complete$|does not match its content-length$/,
    ],
    [
      'a chunk size that is none',
      `${OK}transfer-encoding: chunked\r\n\r\nxyz\r\n`,
      /is not HTTP\/1\.1$/,
    ],
    [
      'chunks that are cut off',
      `${OK}transfer-encoding: chunked\r\n\r\n5\r\nab`,
      /complete$|not HTTP\/1\.1$/,
    ],
    ['a NUL in a header', `${OK}x: a\0b\r\n\r\n`, /that is not HTTP\/1\.1$/],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      /./,
    ],
    ['nothing', '', /closed the connection before its response was complete$/],
  ])('sends %s: an error', async (_what, bytes, message) => {
    const { run, url } = await speaking((socket) => socket.end(bytes, 'latin1'))
    expect((await refused(run, url)).message).toMatch(message)
  })

  it('huge headers: more than 32 KiB is an error', async () => {
    const { run, url } = await speaking((socket) =>
      socket.write(`${OK}x-large: ${'x'.repeat(40_000)}\r\n\r\n`),
    )
    expect((await refused(run, url)).message).toMatch(/sent headers of more than 32768 bytes$/)
  })

  it('endless headers are an error', async () => {
    const { server, run, url } = await speaking((socket) => {
      socket.write(OK)
      const more = () => {
        while (!socket.destroyed && socket.write('x-more: yes\r\n'.repeat(100)));
      }
      socket.on('drain', more)
      more()
    })
    expect((await refused(run, url)).message).toMatch(/sent headers of more than 32768 bytes$/)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('257 headers are an error, 256 are not', async () => {
    const of = (count: number) =>
      speaking((socket) =>
        socket.end(`${OK}${'a:\r\n'.repeat(count - 1)}content-length: 0\r\n\r\n`),
      )
    const most = await of(256)
    expect((await answered(most.run, most.url)).value.headers).toHaveLength(256)
    const more = await of(257)
    expect((await refused(more.run, more.url)).message).toMatch(/sent more than 256 headers$/)
  })

  it('endless early hints are an error, and a few are skipped', async () => {
    const hints = (count: number) => 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(count)
    const few = await speaking((socket) =>
      socket.end(`${hints(3)}${OK}content-length: 2\r\n\r\nhi`),
    )
    expect(textOf(await answered(few.run, few.url))).toBe('hi')
    const many = await speaking((socket) => socket.write(hints(1_000)))
    expect((await refused(many.run, many.url)).message).toMatch(
      /sends responses that are not valid HTTP$/,
    )
  })

  it('response splitting: bytes after a response do not become the next response', async () => {
    let times = 0
    const { run, url } = await speaking((socket) => {
      const evil = `${OK}content-length: 4\r\n\r\nevil`
      socket.write(`${OK}content-length: 2\r\n\r\nhi${times++ === 0 ? evil : ''}`)
    })
    expect(textOf(await answered(run, url))).toBe('hi')
    const next = await ask(run, url)
    expect(next.ok ? textOf(next) : 'refused').not.toBe('evil')
  })

  it('a response that ends with the connection is accepted', async () => {
    const { run, url } = await speaking((socket) => socket.end(`${OK}\r\nuntil the end`))
    expect(textOf(await answered(run, url))).toBe('until the end')
  })
})

it('a refused connection is reported without an address', async () => {
  const server = await startRawServer(() => {})
  await server.close()
  const run = runWith([], {}, { allow: [{ host: 'localhost', port: server.port }] })
  const { message } = await refused(run, `http://localhost:${server.port}/`)
  expect(message).toBe(`localhost:${server.port} refuses connections`)
})
