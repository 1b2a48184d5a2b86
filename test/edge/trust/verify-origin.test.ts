import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { verifyOriginEvidence } from '../../../edge/trust/verify-origin.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../../shared/limits.ts'
import { type EvidenceVariant, VARIANT_HEADER } from '../../doubles/evidence-variants.ts'
import { env, random } from '../app.ts'

type Options = {
  variant?: EvidenceVariant
  changes?: object
  now?: () => number
  send?: typeof fetch
}

const HOUR_MS = 60 * 60 * 1000
const RPC = 'https://rpc.test/secret'

/** Verifies the evidence of the double, with settings that name its machine. */
function verify({ variant = 'good', changes = {}, now = Date.now, send = fetch }: Options = {}) {
  const showing: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    if (request.url === RPC) return send(request)
    request.headers.set(VARIANT_HEADER, variant)
    return fetch(request)
  }
  const settings = { ...settingsOf(env), ...changes }
  return verifyOriginEvidence({ settings, fetch: showing, random, now })
}

describe('the edge verifying its origin', () => {
  it('returns keys and a report about the machine', async () => {
    const { report, keys, verifiedAt, verifiedUntil } = await verify()
    expect(report).toMatchObject({
      verdict: 'SIMULATED',
      root: { kind: 'simulated', spkiSha256: env.SIM_ROOT_SHA256 },
      appId: env.ORIGIN_APP_ID,
      composeHash: env.ORIGIN_COMPOSE_HASHES,
    })
    expect([keys.channel.length, keys.storage.length]).toEqual([65, 65])
    expect(verifiedUntil - verifiedAt).toBeLessThanOrEqual(CHANNEL_KEY_MAX_AGE_MS)
  })

  it('expires with the channel key at the latest', async () => {
    const midnight = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS
    const end = midnight + 48 * HOUR_MS
    const { verifiedUntil } = await verify({ now: () => end - 1_000 })
    expect(verifiedUntil).toBe(end)
  })

  it.each<[EvidenceVariant, string, RegExp]>([
    ['his own key', 'evidence files', /report_data/],
    ['his own key, quoted for his nonce', 'evidence files', /report_data/],
    ['old files', 'evidence files', /channel.key|valid/],
    ['recorded quote', 'quote', /nonce/],
    ['another app', 'compose hash', /compose|app/],
    ['another root', 'quote', /root/],
  ])(
    'man in the middle: rejects the evidence of %s with the rule "%s"',
    async (variant, rule, reason) => {
      await expect(verify({ variant })).rejects.toMatchObject({
        name: 'EvidenceRejectedError',
        rule,
        reason: expect.stringMatching(reason),
      })
    },
  )

  it.each([
    ['another application', { ORIGIN_APP_ID: 'ab'.repeat(20) }],
    ['another compose text', { ORIGIN_COMPOSE_HASHES: ['ab'.repeat(32)] }],
    [
      'another machine',
      {
        ORIGIN_MEASUREMENTS: [
          {
            mrtd: '00'.repeat(48),
            rtmr0: '00'.repeat(48),
            rtmr1: '00'.repeat(48),
            rtmr2: '00'.repeat(48),
          },
        ],
      },
    ],
    ['another root', { SIM_ROOT_SHA256: 'ab'.repeat(32) }],
    ['Intel’s root', { ORIGIN_TRUST: 'hardware', SIM_ROOT_SHA256: undefined }],
  ])('rejects the origin if it trusts only %s', async (_, changes) => {
    await expect(verify({ changes })).rejects.toMatchObject({ name: 'EvidenceRejectedError' })
  })
})

describe('with a governance contract', () => {
  const TRUE = `0x${'1'.padStart(64, '0')}`
  const answering =
    (result: unknown): typeof fetch =>
    async (input) => {
      const asked: any[] = JSON.parse(await new Request(input).text())
      return Response.json(
        asked.map(({ id, method }) => ({
          jsonrpc: '2.0',
          id,
          result: method === 'eth_chainId' ? '0x1' : result,
        })),
      )
    }
  const governed = (send: typeof fetch) => verify({ changes: { GOVERNANCE_RPC: RPC }, send })

  it('asks for the measured compose hash at the application’s address', async () => {
    let asked: any
    const verified = await governed(async (input) => {
      const request = input as Request
      asked = JSON.parse(await request.clone().text())
      return answering(TRUE)(request)
    })
    expect(asked[1]).toMatchObject({
      method: 'eth_call',
      params: [
        { to: `0x${env.ORIGIN_APP_ID}`, data: `0x2f6622e5${env.ORIGIN_COMPOSE_HASHES}` },
        'latest',
      ],
    })
    const rule = verified.report.rules[6]
    expect(rule?.outcome).toBe('passed')
  })

  it.each([
    ['a hash that was withdrawn', `0x${'0'.repeat(64)}`],
    ['no contract there', '0x'],
    ['another number', `0x${'2'.padStart(64, '0')}`],
    ['more than a word', `${TRUE}${'0'.repeat(64)}`],
  ])('rejects %s with the rule "governance"', async (_, result) => {
    const refused = governed(answering(result))
    await expect(refused).rejects.toMatchObject({
      name: 'EvidenceRejectedError',
      rule: 'governance',
    })
  })

  it.each<[string, typeof fetch]>([
    ['is away', () => Promise.reject(new Error(`fetch ${RPC} failed`))],
    ['answers an error', async () => new Response('', { status: 500 })],
    ['answers without a result', answering(undefined)],
    ['answers what is no JSON', async () => new Response('<html>')],
    ['sends without end', async () => new Response('['.repeat(100_000))],
    ['sends elsewhere', async () => Response.redirect('https://evil.test/')],
  ])('fails if the node %s, without revealing its URL', async (_, send) => {
    const error: Error = await governed(send).then(
      () => expect.unreachable(),
      (thrown: Error) => thrown,
    )
    expect(error.name).toBe('GovernanceUnavailableError')
    expect(error.message).not.toContain('secret')
  })
})
