import { expect, it } from 'vitest'
import { openLog, errorTrace } from '../../../origin/log.ts'
import type { OriginEvent } from '../../../origin/log/events.ts'
import { serviceLogLine } from '../../../shared/service-log/line.ts'
import { redactSecrets } from '../../../shared/service-log/redact-secrets.ts'

const opened = () => {
  const lines: string[] = []
  return {
    lines,
    ...openLog(
      (line) => lines.push(line),
      () => 0,
    ),
  }
}

it('a log line is one line of JSON with its level, time, event and facts', () => {
  const { lines, log } = opened()
  log('run.started', { cid: 'Qm\n', n: 1 })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.indexOf('\n')).toBe(lines[0]!.length - 1)
  expect(JSON.parse(lines[0]!)).toEqual({
    level: 'info',
    time: '1970-01-01T00:00:00.000Z',
    event: 'run.started',
    cid: 'Qm\n',
    n: 1,
  })
})

it('the edge and the origin write identical lines', () => {
  const { lines, log } = opened()
  const facts = { reason: 'it said\n"no"', n: 1, ok: true, absent: undefined }
  log('mirror.failed', facts)
  expect(lines).toEqual([`${serviceLogLine('warn', 0, 'mirror.failed', facts)}\n`])
})

it('writes nothing below the configured level', () => {
  const { lines, log, setLevel } = opened()
  log('probe.answered')
  setLevel('warn')
  log('run.ended')
  log('run.lost')
  setLevel('silent')
  log('origin.failed')
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['run.lost'])
})

it('log injection: a text cannot start a new line or add a fact', () => {
  const { lines, log } = opened()
  const forged = '"}\n{"level":"info","event":"origin.ready"}\r\n\u2028{"event":"run.ended"}'
  for (const event of ['mirror.failed', 'tls.unusable', 'origin.failed'] as const)
    log(event, { reason: forged, message: forged, error: forged, cause: forged, name: forged })
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line.split('\n')).toHaveLength(2)
    expect(Object.keys(JSON.parse(line))).toEqual([
      'level',
      'time',
      'event',
      'reason',
      'message',
      'error',
      'cause',
      'name',
    ])
  }
})

const SECRETS = {
  'an account key': 'q2bLx0p5y8V7h1Zk3m9Tn4Rw6Ud0Se2Xc5Va8Bf1Gj=',
  'an account key with slashes': 'q2b/x0p5y8V7h1Zk3m9Tn4Rw6Ud0Se2Xc5Va8Bf+Gj0=',
  'an agent’s token': 'Zk3m9Tn4Rw6Ud0Se2Xc5Va8Bf1Gj0q2bLx0p5y8V7h1Zk3m9Tn4Rw6Ud0Se2Xc5Va8',
  'the channel’s key': 'Zk3m9Tn4Rw6Ud0Se2Xc5Va8Bf1Gj0q2bLx0p5y8V7h1',
  'a private key': '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
  'a private key without 0x': '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
  'the key in a provider’s URL': 'https://mainnet.example.test/v3/9aa3d95b3bc440fa88ea12eaa4456161',
  'the password of the database': 'postgres://svc:hunter2@db.example.test:5432/svc',
  'the processor’s key': 'sk_live_51H8xQdeadbeef',
  'a signing secret': 'whsec_deadbeef0123',
  'a client secret': 'pi_3N0deadbeef_secret_x9',
  'a bearer token': 'Bearer short-but-secret',
  'a cookie': 'cookie: __Host-svc=abcdef',
  'a receipt': 'eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2ln',
  'a mail address': 'somebody@example.test',
  'a magic link': 'http://localhost:8787/sign-in/link#secret=abc',
}

it.each(Object.entries(SECRETS))(
  'leaked secret: redacts a key in an error’s message: %s',
  (_, secret) => {
    const { lines, log } = opened()
    const message = `could not send "${secret}", (${secret}): try again`
    for (const name of ['reason', 'error', 'message', 'cause'])
      log('mirror.failed', { [name]: message })
    const core = secret.replace(/^(Bearer |cookie: )/, '')
    expect(lines.filter((line) => line.includes(core))).toEqual([])
    expect(JSON.parse(lines[0]!).reason).toMatch(/^could not send .*\[redacted\].*try again$/)
  },
)

it.each(['api_key', 'token', 'authorization', 'cookie', 'params', 'body', 'email', 'link'])(
  'leaked secret: redacts a secret that is logged by name: %s',
  (name) => {
    const { lines, log } = opened()
    log('run.ended', { [name]: 'canary' })
    expect(JSON.parse(lines[0]!)[name]).toBe('[redacted]')
  },
)

it('keeps facts needed for debugging: classes, code locations, error codes and numbers', () => {
  const text =
    'TypeError at f (file:///app/origin/service.ts:10:5): ECONNREFUSED 127.0.0.1:8545, 503'
  expect(redactSecrets(text)).toBe(text)
})

it('resource exhaustion: scans only the first thousand characters of a long text', () => {
  const { lines, log } = opened()
  log('mirror.failed', { reason: `${'A1'.repeat(5_000_000)} ${SECRETS['an account key']}` })
  expect(lines[0]!.length).toBeLessThan(200)
})

it('leaked secret: writes no part of a secret at the length limit', () => {
  const half = `${'x '.repeat(590)}${SECRETS['an agent’s token']}`
  expect(redactSecrets(half)).not.toContain('Zk3m9')
})

it('leaked secret: the trace of an error has the location, but not the message', () => {
  const trace = errorTrace(new RangeError('canary\n  canary of two lines'))
  expect(trace).toMatch(/^RangeError at .*log\.test\.ts/)
  expect(trace).not.toContain('canary')
  expect(trace).not.toContain('\n')
  expect(errorTrace('canary')).toBe('string')
})

it('an unknown event does not compile', () => {
  // @ts-expect-error not in EVENTS
  const made: OriginEvent = 'made.up'
  expect(made).toBe('made.up')
})
