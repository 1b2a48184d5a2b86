import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventParams } from '../../../edge/queue/firing.ts'
import type { Capability } from '../../../origin/actions/run.ts'
import {
  EXECUTION_CPU_MS,
  EXECUTION_WALL_MS,
  PARAMS_MAX_BYTES,
  WEBHOOK_BODY_MAX_BYTES,
} from '../../../shared/limits.ts'
import { sharedPool } from './sandbox.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/triggers.md', import.meta.url)),
  'utf8',
)
const [, shared = ''] = /^### The shared part$.*?^```js\n(.*?)^```$/ms.exec(page) ?? []

/** The shared part of the guide, in an action that returns what it received. */
const VERIFY = `${shared}
  async function main(params) {
    const mac = fromHex(params.headers['x-hub-signature-256'].slice('sha256='.length))
    const bytes = signedBytes(params)
    if (!(await isMac([mac], await senderSecret(), bytes))) throw new Error('not from the sender')
    return [bytes.length, params.event_raw_encoding, params.event === null ? 'null' : typeof params.event]
  }`

const SECRET = 'shared with the sender'
const opening: Capability = { keyOperation: () => Promise.resolve(SECRET) }

/** Pads a text with spaces to the maximum size of a webhook body. */
const filled = (text: string) => {
  const whole = Buffer.from(text)
  return Buffer.concat([whole, Buffer.alloc(WEBHOOK_BODY_MAX_BYTES - whole.length, ' ')])
}
const repeated = (piece: string) =>
  piece.repeat(Math.floor((WEBHOOK_BODY_MAX_BYTES - 2) / Buffer.byteLength(piece)))

const commit = {
  id: 'a'.repeat(40),
  message: 'a "quoted" line\nand another, with ünïcode\n',
  author: { name: 'someone', email: 'someone@example.com' },
  added: ['src/a.ts', 'src/b.ts'],
  distinct: true,
}
const commits = Array.from({ length: 8_000 }, (_, n) => ({ n, ...commit }))
const binary = randomBytes(WEBHOOK_BODY_MAX_BYTES)
binary[0] = 0xff

function paramsOf(body: Buffer, contentType: string, signature: string): string {
  const firing = {
    source: 'webhook',
    method: 'POST',
    url: 'https://triggers.example.com/webhook/a',
    query: {},
    receivedAt: 0,
    contentType,
    headers: { 'x-hub-signature-256': `sha256=${signature}` },
  } as const
  return JSON.stringify(eventParams(firing, body))
}

describe('the largest webhook body', () => {
  const sandbox = sharedPool({ min: 1, max: 1 })

  it.each([
    ['JSON of many objects', filled(JSON.stringify({ commits })), 'application/json', 'object'],
    [
      'one JSON string',
      filled(JSON.stringify('x'.repeat(2_000_000))),
      'application/json',
      'string',
    ],
    ['text of characters of three bytes', filled(repeated('€')), 'text/plain', 'string'],
    ['text of characters of four bytes', filled(repeated('😀')), 'text/plain', 'string'],
    ['bytes that are no text', binary, 'application/octet-stream', 'null'],
  ])('is verified inside an action, within its limits: %s', async (_what, body, type, event) => {
    expect(body.length).toBe(WEBHOOK_BODY_MAX_BYTES)
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    const limits = { wallMs: EXECUTION_WALL_MS, cpuMs: EXECUTION_CPU_MS }
    const params = paramsOf(body, type, signature)
    expect(Buffer.byteLength(params)).toBeLessThan(PARAMS_MAX_BYTES)
    const result = await sandbox.run(VERIFY, { ...limits, params }, opening)
    const encoding = event === 'null' ? 'base64' : 'utf8'
    if (result.kind !== 'returned') throw new Error(JSON.stringify(result))
    expect(JSON.parse(result.value)).toEqual([body.length, encoding, event])
    expect(result.cpuMs).toBeLessThan(5_000)

    const altered = Buffer.from(body)
    altered[altered.length - 1]! ^= 1
    const forged = paramsOf(altered, type, signature)
    const refused = await sandbox.run(VERIFY, { ...limits, params: forged }, opening)
    expect(refused).toMatchObject({ kind: 'failed', message: 'not from the sender' })
  })
})
