import { afterEach, describe, expect, it, vi } from 'vitest'
import { Agent, fetch as fetchWith } from 'undici'
import { openLog } from '../../../origin/log.ts'
import { LogSink, QUEUE_MAX_BYTES } from '../../../origin/log/log-sink.ts'
import { makeAuthority } from '../../doubles/certificates.ts'
import { type Respond, startWebServer } from '../../doubles/web-server.ts'
import { blockWith } from '../../system/docs/documents.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const TIMES = { batchMs: 5, retryMs: 5, timeoutMs: 60_000, closeMs: 60_000 }

/** A collector, and a sink that sends to it. */
async function world(
  respond: Respond = (_, response) => response.end(),
  options: {
    times?: Partial<typeof TIMES>
    token?: string
    fetch?: typeof fetch
    scheme?: string
    certificate?: { key: string; cert: string }
    onRecovered?: () => void
  } = {},
) {
  const collector = await startWebServer(respond, options)
  cleanups.push(collector.close)
  const counts = { dropped: 0, failed: [] as string[], recovered: 0 }
  const sink = new LogSink({
    url: `${options.scheme ?? 'http'}://127.0.0.1:${collector.port}/logs?key=of-the-url`,
    token: options.token,
    fetch: options.fetch ?? fetch,
    random: () => 0,
    onDropped: (lines) => (counts.dropped += lines),
    onFailed: (reason) => counts.failed.push(reason),
    onRecovered: () => {
      counts.recovered++
      options.onRecovered?.()
    },
    times: { ...TIMES, ...options.times },
  })
  cleanups.push(() => sink.close())
  const delivered = () => collector.received.map(({ body }) => body).join('')
  return { collector, sink, counts, delivered }
}

const until = (condition: () => boolean) =>
  vi.waitUntil(condition, { timeout: 60_000, interval: 5 })

describe('the copy of the log for a collector', () => {
  it('has all lines in order, in batches of JSON lines with the bearer token', async () => {
    const { sink, collector, delivered, counts } = await world(undefined, { token: 'a-token' })
    const lines = Array.from({ length: 20 }, (_, n) => `{"n":${n}}\n`)
    for (const line of lines) sink.add(line)
    await until(() => delivered() === lines.join(''))
    const [first] = collector.received
    expect(first).toMatchObject({ method: 'POST', url: '/logs?key=of-the-url' })
    const [, ...documented] = blockWith('docs/operate.md', 'POST /your/path').split('\n')
    const sent = (name: string) => `${name}: ${String(first!.headers[name])}`
    expect([sent('content-type'), sent('authorization')]).toEqual([
      documented[0],
      documented[1]!.replace('<SVC_LOG_SINK_TOKEN>', 'a-token'),
    ])
    expect(sent('content-type')).toBe('content-type: application/x-ndjson')
    expect(collector.received.length).toBeLessThan(lines.length)
    expect(counts).toEqual({ dropped: 0, failed: [], recovered: 0 })
  })

  it('contains no secret, not even one in the message of a library', async () => {
    const { sink, delivered } = await world(undefined, { token: 'token-of-the-sink' })
    const { log } = openLog((line) => sink.add(line), Date.now)
    const secrets = [`sk_live_${'a1'.repeat(12)}`, 'B7'.repeat(22), `0x${'ab'.repeat(32)}`]
    for (const secret of secrets)
      log('mirror.failed', { reason: `refused ${secret}`, token: secret })
    log('rpc.out', { reason: 'https://user:password@node.example/v2/key failed' })
    await until(() => delivered().includes('rpc.out'))
    for (const secret of [...secrets, 'password', 'node.example', 'token-of-the-sink'])
      expect(delivered()).not.toContain(secret)
    expect(
      delivered()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).event),
    ).toEqual(['mirror.failed', 'mirror.failed', 'mirror.failed', 'rpc.out'])
  })

  it('repeats a batch until the collector is back, and reports one outage', async () => {
    let failures = 3
    const { sink, collector, counts } = await world((_, response) => {
      response.statusCode = failures-- > 0 ? 503 : 204
      response.end()
    })
    sink.add('a\n')
    await until(() => counts.recovered === 1)
    expect(collector.received.map(({ body }) => body)).toEqual(['a\n', 'a\n', 'a\n', 'a\n'])
    expect(counts).toEqual({ dropped: 0, failed: ['503'], recovered: 1 })
  })

  it('reports a collector that is down by its error code, without its URL', async () => {
    const { sink, collector, counts } = await world(undefined, { times: { closeMs: 50 } })
    await collector.close()
    sink.add('a\n')
    await until(() => counts.failed.length > 0)
    expect(counts.failed).toEqual(['ECONNREFUSED'])
    await sink.close()
    expect(counts.dropped).toBe(1)
  })

  it('memory exhaustion: drops and counts lines while a hanging collector fills the queue', async () => {
    const held: (() => void)[] = []
    const { sink, counts, delivered } = await world((_, response) =>
      held.push(() => response.end()),
    )
    const line = `${'x'.repeat(64 * 1024 - 1)}\n`
    const fitting = QUEUE_MAX_BYTES / line.length
    for (let n = 0; n < fitting + 10; n++) sink.add(line)
    expect(counts.dropped).toBe(10)
    const timer = setInterval(() => held.splice(0).forEach((release) => release()), 5)
    try {
      await until(() => delivered().length === QUEUE_MAX_BYTES)
      // Accepts lines again.
      sink.add('after\n')
      await until(() => delivered().length > QUEUE_MAX_BYTES)
      expect(delivered().endsWith('xx\nafter\n')).toBe(true)
      // The collector answers the last request before the sink closes.
      await sink.close()
    } finally {
      clearInterval(timer)
    }
    expect(counts.dropped).toBe(10)
  })

  it('times out without a response, and repeats the batch', async () => {
    let requests = 0
    const { sink, counts } = await world(
      (_, response) => {
        if (++requests > 1) response.end()
      },
      { times: { timeoutMs: 50 } },
    )
    sink.add('a\n')
    await until(() => requests >= 2)
    expect(counts.failed).toEqual(['TimeoutError'])
  })

  it('delivers a line that is added just after the last batch', async () => {
    let failures = 1
    const { sink, delivered } = await world(
      (_, response) => {
        response.statusCode = failures-- > 0 ? 503 : 204
        response.end()
      },
      {
        // Called within the delivery of the last batch, whose end this line must not miss.
        onRecovered: () => void Promise.resolve().then(() => sink.add('b\n')),
      },
    )
    sink.add('a\n')
    await until(() => delivered().endsWith('b\n'))
  })

  it('drops a batch that the collector cannot read, instead of blocking all later lines', async () => {
    const { sink, counts, collector } = await world((request, response) => {
      response.statusCode = request.body.includes('bad') ? 400 : 200
      response.end()
    })
    sink.add('bad\n')
    await until(() => counts.dropped === 1)
    sink.add('good\n')
    await until(() => counts.recovered === 1)
    expect(collector.received.map(({ body }) => body)).toEqual(['bad\n', 'good\n'])
  })

  it('token theft: does not follow a redirect', async () => {
    const thief = await startWebServer((_, response) => response.end())
    cleanups.push(thief.close)
    const { sink, counts } = await world(
      (_, response) => {
        response.writeHead(307, { location: `http://127.0.0.1:${thief.port}/` }).end()
      },
      { token: 'a-token', times: { closeMs: 50 } },
    )
    sink.add('a\n')
    await until(() => counts.failed.length > 0)
    expect(thief.received).toEqual([])
  })

  it('delivers the remaining lines before the process exits, and drops later ones', async () => {
    const { sink, counts, delivered } = await world(undefined, { times: { batchMs: 3_600_000 } })
    sink.add('last\n')
    await sink.close()
    expect(delivered()).toBe('last\n')
    sink.add('too late\n')
    expect(counts.dropped).toBe(1)
  })

  it('exits although the collector hangs', async () => {
    const { sink, counts } = await world(() => {}, { times: { closeMs: 20 } })
    sink.add('a\n')
    sink.add('b\n')
    await sink.close()
    expect(counts.dropped).toBe(2)
  })

  it('man in the middle: sends nothing to a collector with an untrusted certificate', async () => {
    const authority = await makeAuthority()
    const certificate = await authority.issue({ names: ['127.0.0.1'] })
    const options = { scheme: 'https', certificate, times: { closeMs: 50 } }
    const untrusted = await world(undefined, options)
    untrusted.sink.add('a\n')
    await until(() => untrusted.counts.failed.length > 0)
    expect(untrusted.collector.received).toEqual([])

    const dispatcher = new Agent({ connect: { ca: authority.pem } })
    cleanups.push(() => dispatcher.close())
    const trusting = ((url: string, init: object) =>
      fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch
    const trusted = await world(undefined, { ...options, fetch: trusting })
    trusted.sink.add('a\n')
    await until(() => trusted.delivered() === 'a\n')
  })
})
