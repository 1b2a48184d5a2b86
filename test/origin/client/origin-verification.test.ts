import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClientPolicy, Verify } from '../../../shared/client/verification/client-policy.ts'
import {
  EvidenceChanged,
  EvidenceRefused,
  EvidenceUnavailable,
  PolicyIncomplete,
  ReceiptRefused,
} from '../../../shared/client/verification/failures.ts'
import { OriginVerification } from '../../../shared/client/verification/origin-verification.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../../shared/limits.ts'
import type { TlsFiles } from '../../../origin/tls.ts'
import { makeAuthority } from '../../doubles/certificates.ts'
import { ShownEvidence } from '../../doubles/evidence.ts'
import type { EvidenceVariant } from '../../doubles/evidence-variants.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import { BASE_URL, fetchFrom, type Network, policyFor, random, showEvidence } from './client-of.ts'

let origin: TestOrigin
let composeHash: string
let rootPin: string
beforeAll(async () => {
  origin = await startOrigin()
  await showEvidence(origin)
  composeHash = (await origin.call('/info')).body.compose_hash
  rootPin = origin.rootPin
  const { cert, key } = await (await makeAuthority()).issue({ names: ['localhost'] })
  doubles = new ShownEvidence(randomBytes(32), { cert: `${cert}\n`, key } as TlsFiles)
})
afterAll(() => origin.close())

const ELSEWHERE = '11'.repeat(32)

/** Machines under one root certificate, and one under another root. */
let doubles: ShownEvidence
async function shownBy(variant: EvidenceVariant, request: Request): Promise<Response> {
  return new Response(await doubles.at(new URL(request.url), variant))
}

let asked: string[]
let aheadMs: number
/** The network of the current test. Requests are recorded in addition. */
let network: Network
beforeEach(() => {
  asked = []
  aheadMs = 0
  network = (_request, passOn) => passOn()
})

type Given = {
  verify?: Verify
  policy?: ClientPolicy
  baseUrl?: string
  signal?: AbortSignal
  sleep?: () => Promise<void>
}

function verificationOf({
  baseUrl = BASE_URL,
  verify = 'once',
  policy,
  signal,
  sleep,
}: Given = {}) {
  const fetch = fetchFrom(origin, (request, passOn) => {
    asked.push(new URL(request.url).pathname)
    return network(request, passOn)
  })
  const now = () => origin.services.now() + aheadMs
  return new OriginVerification({
    baseUrl,
    verify,
    policy: policy ?? policyFor(origin),
    fetch,
    random,
    now,
    sleep,
    ...(signal && { signal }),
  })
}

const required = (over: ClientPolicy = {}): Given => ({
  verify: 'required',
  policy: {
    root: { kind: 'simulated', spkiSha256: rootPin },
    composeHashes: [composeHash],
    measurements: 'open',
    ...over,
  },
})

/** Alters the evidence, as if another application ran on the same machine. */
const showing =
  (path: string, change: (text: string) => string): Network =>
  async (request, passOn) => {
    const answer = await passOn()
    if (new URL(request.url).pathname !== path) return answer
    return new Response(change(await answer.text()))
  }

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('it was believed'),
    (error: unknown) => error,
  )

describe('a client that verifies once', () => {
  it('fetches the evidence before the first key is sent, but not before the second', async () => {
    const verification = verificationOf()
    await verification.beforeCredential()
    const first = asked.length
    expect(asked).toEqual(['/attestation/bundle'])
    await verification.beforeCredential()
    expect(asked.length).toBe(first)
  })

  it('shares one verification between concurrent callers', async () => {
    const verification = verificationOf()
    await Promise.all([1, 2, 3].map(() => verification.beforeCredential()))
    expect(asked.filter((path) => path === '/attestation/bundle')).toHaveLength(1)
  })

  it('does not wait forever for the fetch of a finished request, as happens in a Worker', async () => {
    const given = { baseUrl: 'https://localhost:1', policy: {}, sleep: async () => {} }
    const verification = verificationOf(given)
    network = () => new Promise(() => {})
    void verification.beforeCredential()
    await vi.waitUntil(() => asked.length > 0)
    network = (request) => shownBy('good', request)
    await verification.beforeCredential()
  })

  it('verifies again if the clock was set back, so the hour does not get longer', async () => {
    network = (request) => shownBy('good', request)
    const verification = verificationOf({ baseUrl: 'https://localhost:1', policy: {} })
    await verification.beforeCredential()
    const first = asked.length
    aheadMs = -60_000
    await verification.beforeCredential()
    expect(asked.length).toBe(2 * first)
  })

  it('verifies again after an hour', async () => {
    const verification = verificationOf()
    await verification.beforeCredential()
    const first = asked.length
    aheadMs = CHANNEL_KEY_MAX_AGE_MS
    await verification.beforeCredential()
    expect(asked.length).toBe(2 * first)
  })

  it('returns a fresh report and then relies on it', async () => {
    const verification = verificationOf()
    const report = await verification.report()
    expect(report.verdict).toBe('SIMULATED')
    expect(report.composeHash).toBe(composeHash)
    expect(report.open.join(' ')).toContain('Where the TLS connection ends')
    const first = asked.length
    await verification.beforeCredential()
    expect(asked.length).toBe(first)
    await verification.report()
    expect(asked.length).toBe(2 * first)
  })

  it('does not cache a failure: the next caller tries again', async () => {
    const verification = verificationOf()
    network = async () => new Response(null, { status: 503 })
    const failed = await failureOf(verification.beforeCredential())
    expect(failed).toBeInstanceOf(EvidenceUnavailable)
    expect(failed).toMatchObject({ code: 'evidence_unavailable', status: undefined })
    network = (_request, passOn) => passOn()
    await verification.beforeCredential()
  })

  it('continues for the other callers if one of them aborts', async () => {
    const verification = verificationOf()
    const one = new AbortController()
    const waiting = failureOf(verification.beforeCredential(one.signal))
    const other = verification.beforeCredential()
    one.abort(new Error('enough'))
    expect(await waiting).toMatchObject({ message: 'enough' })
    await other
    expect(asked.filter((path) => path === '/attestation/bundle')).toHaveLength(1)
  })

  it('is aborted when the client is closed', async () => {
    const client = new AbortController()
    const verification = verificationOf({ signal: client.signal })
    network = (request) =>
      new Promise((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
        client.abort(new Error('closed'))
      })
    expect(await failureOf(verification.beforeCredential())).toBeInstanceOf(EvidenceUnavailable)
  })

  it('accepts a simulated root for loopback addresses by default', async () => {
    const policy = { statuses: ['UpToDate'] } as const
    for (const baseUrl of ['https://localhost:1', 'https://127.0.0.1:1', 'http://[::1]:1'])
      expect((await verificationOf({ baseUrl, policy }).report()).verdict).toBe('SIMULATED')
  })

  it('reports for a host that the evidence does not name that TLS ends before the machine', async () => {
    const { open } = await verificationOf({ baseUrl: 'https://edge.test' }).report()
    expect(open.join(' ')).toContain(
      'the evidence is for origin.test, but the base URL names edge.test',
    )
  })
})

describe('a client that never verifies', () => {
  it('sends no request before a key is used', async () => {
    await verificationOf({ verify: 'never' }).beforeCredential()
    expect(asked).toEqual([])
  })

  it('still creates a report on request', async () => {
    expect((await verificationOf({ verify: 'never' }).report()).verdict).toBe('SIMULATED')
  })
})

describe('a client for which verification is required', () => {
  it('accepts the application that its policy names', async () => {
    await verificationOf(required()).beforeCredential()
  })

  it.each([
    ['no compose hashes', { composeHashes: [] }, 'policy.composeHashes'],
    ['silence on the machine', { measurements: [] }, 'policy.measurements'],
    ['any root', { root: { kind: 'any' } }, 'a specific policy.root'],
  ] as const)('cannot be created with %s', (_what, over, option) => {
    const make = () => verificationOf(required(over))
    expect(make).toThrow(PolicyIncomplete)
    expect(make).toThrow(option)
  })

  it('rejects another application and names the failed rule', async () => {
    const other = required({ composeHashes: [ELSEWHERE] })
    const failure = await failureOf(verificationOf(other).beforeCredential())
    expect(failure).toBeInstanceOf(EvidenceRefused)
    expect(failure).toMatchObject({ rule: 'compose hash', code: 'evidence_refused' })
    expect((failure as EvidenceRefused).report?.verdict).toBe('FAILED')
  })

  it('rejects machines that its policy does not name', async () => {
    const zeros = '00'.repeat(48)
    const measurements = [{ mrtd: zeros, rtmr0: zeros, rtmr1: zeros, rtmr2: zeros }]
    const failure = await failureOf(verificationOf(required({ measurements })).beforeCredential())
    expect(failure).toMatchObject({ rule: 'quote' })
  })
})

describe('attacks', () => {
  it('simulated evidence of another host: rejected unless the policy pins its root', async () => {
    for (const verify of ['once', 'never'] as const) {
      const verification = verificationOf({ verify, policy: {} })
      expect(await failureOf(verification.report())).toMatchObject({ rule: 'quote' })
    }
  })

  it('simulated evidence of a loopback address: rejected if verification is required', async () => {
    const { composeHashes, measurements } = required().policy!
    const verification = verificationOf({
      verify: 'required',
      baseUrl: 'https://localhost:1',
      policy: { composeHashes: composeHashes!, measurements: measurements! },
    })
    expect(await failureOf(verification.beforeCredential())).toMatchObject({ rule: 'quote' })
  })

  it('relay of genuine evidence: required verification rejects a host that it does not name', async () => {
    const verification = verificationOf({ ...required(), baseUrl: 'https://relay.test' })
    const failure = await failureOf(verification.beforeCredential())
    expect(failure).toMatchObject({ rule: 'certificate', code: 'evidence_refused' })
  })

  it('lookalike host: a host is not accepted because a part of its name matches', async () => {
    for (const host of ['xorigin.test', 'origin.test.evil', 'a.origin.test', 'localhost.evil']) {
      const verification = verificationOf({ ...required(), baseUrl: `https://${host}` })
      expect(await failureOf(verification.beforeCredential())).toMatchObject({
        rule: 'certificate',
      })
    }
  })

  it('altered evidence: is rejected even if genuine evidence passed an hour ago', async () => {
    const verification = verificationOf()
    await verification.beforeCredential()
    aheadMs = CHANNEL_KEY_MAX_AGE_MS
    network = showing('/attestation/bundle', (text) => text.replaceAll(composeHash, ELSEWHERE))
    expect(await failureOf(verification.beforeCredential())).toBeInstanceOf(EvidenceRefused)
  })

  it('lost trust: evidence that fails on a second check blocks further credentials', async () => {
    const verification = verificationOf()
    await verification.beforeCredential()
    network = async () => new Response(null, { status: 404 })
    expect(await failureOf(verification.report())).toBeInstanceOf(EvidenceUnavailable)
    expect(await failureOf(verification.beforeCredential())).toBeInstanceOf(EvidenceUnavailable)
  })

  it.each([
    ['another app', 'app id'],
    ['new version', 'compose hash'],
    ['another root', 'root'],
  ] as const)(
    'exchanged application: rejects evidence of %s every time, though it is valid by itself',
    async (variant, field) => {
      const verification = verificationOf({ baseUrl: 'https://localhost:1', policy: {} })
      network = (request) => shownBy('good', request)
      await verification.beforeCredential()
      network = (request) => shownBy(variant, request)
      await verificationOf({ baseUrl: 'https://localhost:1', policy: {} }).beforeCredential()
      for (const _time of [1, 2]) {
        const failure = await failureOf(verification.report())
        expect(failure).toBeInstanceOf(EvidenceChanged)
        expect(failure).toMatchObject({ field, code: 'evidence_changed' })
      }
    },
  )

  it('planned upgrade: accepts either of two compose hashes in a required policy', async () => {
    const hashOf = async (variant: EvidenceVariant) => {
      const answer = await shownBy(variant, new Request('https://localhost:1/info'))
      return ((await answer.json()) as { compose_hash: string }).compose_hash
    }
    const composeHashes = await Promise.all([hashOf('good'), hashOf('new version')])
    network = (request) => shownBy('good', request)
    const first = await verificationOf({ baseUrl: 'https://localhost:1', policy: {} }).report()
    const root = { kind: 'simulated', spkiSha256: first.root!.spkiSha256 } as const
    const given = required({ composeHashes, root })
    const verification = verificationOf({ ...given, baseUrl: 'https://localhost:1' })
    expect((await verification.report()).composeHash).toBe(composeHashes[0])
    network = (request) => shownBy('new version', request)
    expect((await verification.report()).composeHash).toBe(composeHashes[1])
  })

  it('forged receipt: rejects a receipt that the verified key did not sign', async () => {
    const failure = await failureOf(verificationOf().receipt('e30.e30.e30'))
    expect(failure).toBeInstanceOf(ReceiptRefused)
    expect(failure).toMatchObject({ flaw: 'malformed', code: 'receipt_refused' })
  })
})
