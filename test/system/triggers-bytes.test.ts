/** Webhook bodies over the full path: sockets, object storage, sealed channel and sandbox. */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WEBHOOK_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

const SECRET = 'it is a secret to everybody'

/** Verifies a GitHub signature, and returns the number of signed bytes. */
const VERIFIER = `async function main({ event, event_raw, event_raw_encoding, headers }) {
  const bytes = event_raw_encoding === 'base64'
    ? ethers.utils.base64.decode(event_raw)
    : ethers.utils.toUtf8Bytes(event_raw)
  const mac = ethers.utils.computeHmac('sha256', ethers.utils.toUtf8Bytes('${SECRET}'), bytes)
  if ('sha256=' + mac.slice(2) !== headers['x-hub-signature-256']) throw new Error('forged')
  return { bytes: bytes.length, members: event === null ? null : Object.keys(event).length }
}`

let started: StartedStack
let owner: Owner
let hook: { id: string; webhook_url: string }
beforeAll(async () => {
  started = await startStack()
  owner = await newOwner(started)
  hook = await owner.createTrigger(VERIFIER)
})
afterAll(() => started.stop())

const signature = (body: Uint8Array) =>
  `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`

async function runOf(body: Uint8Array<ArrayBuffer>, type: string, signed = signature(body)) {
  const headers = { 'content-type': type, 'x-hub-signature-256': signed }
  const response = await fetch(hook.webhook_url, { method: 'POST', body, headers })
  expect(response.status).toBe(202)
  const { run_id } = (await response.json()) as { run_id: string }
  const runs = await owner.allEnded(hook.id, 40)
  return runs.find((run) => run.id === run_id)!
}

/** A JSON object of exactly this many bytes. */
function jsonOf(size: number): Uint8Array<ArrayBuffer> {
  const members = Array.from({ length: 1_000 }, (_, i) => [`key ${i}`, 'ä"\\\n'.repeat(100)])
  const head = JSON.stringify(Object.fromEntries(members)).slice(0, -1) + ',"rest":"'
  const bytes = new TextEncoder().encode(head)
  return new Uint8Array([...bytes, ...Buffer.alloc(size - bytes.length - 2, 'x'), 0x22, 0x7d])
}

describe('an event of the maximum size', () => {
  it('is verified by HMAC inside the action if binary', async () => {
    const body = new Uint8Array(randomBytes(WEBHOOK_BODY_MAX_BYTES))
    const run = await runOf(body, 'application/octet-stream')
    expect([run.error, run.response]).toEqual([null, { bytes: body.length, members: null }])
  })

  it('is verified by HMAC inside the action and also parsed if JSON', async () => {
    const body = jsonOf(WEBHOOK_BODY_MAX_BYTES)
    expect(body.length).toBe(WEBHOOK_BODY_MAX_BYTES)
    const run = await runOf(body, 'application/json')
    expect([run.error, run.response]).toEqual([null, { bytes: body.length, members: 1_001 }])
  })

  it('fails in the action if forged', async () => {
    const run = await runOf(jsonOf(1_000_000), 'application/json', `sha256=${'0'.repeat(64)}`)
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('forged') })
  })

  it('fails with the reason if control characters make it six times as long in JSON', async () => {
    const body = new Uint8Array(WEBHOOK_BODY_MAX_BYTES).fill(1)
    const run = await runOf(body, 'text/plain')
    expect(run).toMatchObject({ status: 'failed', attempt: 1, charged_cents: 0 })
    expect(run.error).toMatch(/js_params: \d+ bytes exceed the limit of 8388608/)
  })
})

/** Opens one connection and writes to it. @returns everything received until it closes or is silent for 2 s */
function overSocket(write: (socket: { write(data: string | Uint8Array): void }) => void) {
  const { hostname, port, pathname } = new URL(hook.webhook_url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  return new Promise<string>((resolve) => {
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n`)
    write(socket)
  })
}

const statuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
const runCount = async () => (await owner.runs(hook.id)).length

describe('a sender that violates HTTP', () => {
  it('gets 413 at the limit for an endless body without a length', async () => {
    const before = await runCount()
    const answer = await overSocket((socket) => {
      socket.write('transfer-encoding: chunked\r\n\r\n')
      const chunk = 'x'.repeat(0x10000)
      for (let i = 0; i <= WEBHOOK_BODY_MAX_BYTES / 0x10000; i++)
        socket.write(`10000\r\n${chunk}\r\n`)
    })
    expect(statuses(answer)).toEqual(['413'])
    expect(answer).toContain('payload_too_large')
    expect(await runCount()).toBe(before)
  })

  it('gets 413 for a length over the limit before it sends a body', async () => {
    const answer = await overSocket((socket) => socket.write('content-length: 2097153\r\n\r\n'))
    expect(statuses(answer)).toEqual(['413'])
  })

  it('starts no run with a body shorter than its length', async () => {
    const before = await runCount()
    const answer = await overSocket((socket) => socket.write('content-length: 10\r\n\r\n{}'))
    expect(statuses(answer)).not.toContain('202')
    expect(await runCount()).toBe(before)
  })

  it('request smuggling: two framings at once do not become an event and a second request', async () => {
    const answer = await overSocket((socket) => {
      socket.write('content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n')
      socket.write('0\r\n\r\nGET /health HTTP/1.1\r\nhost: a\r\n\r\n')
    })
    expect(answer).not.toContain('"ok"')
  })
})
