import { BY_OPERATOR } from '../../../edge/audit-log/trigger-change.ts'
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTrigger as storeTrigger } from '../../../edge/triggers/create-trigger.ts'
import type { OriginTrust } from '../../../edge/trust/origin-trust.ts'
import { type Freshness, sealedCall } from '../../../edge/trust/sealed-call.ts'
import { SealedOrigin } from '../../../edge/trust/sealed-origin.ts'
import { EVIDENCE_BUNDLE_PATH } from '../../../shared/attestation/evidence.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../../shared/limits.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { SEALED_RUNS_PATH } from '../../../shared/wire/sealed-runs.ts'
import { createTriggerRequest } from '../../../shared/wire/trigger.ts'
import { type EvidenceVariant, VARIANT_HEADER } from '../../doubles/evidence-variants.ts'
import { createTrigger, db, env, fire, random, runOnce, someOwner, webhook } from '../app.ts'

type Answer = (request: Request, send: typeof fetch) => Response | Promise<Response>

/** Intercepts requests from the edge to the origin. @returns the requested paths */
function between(answer: Answer): string[] {
  const send = globalThis.fetch
  const paths: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    paths.push(new URL(request.url).pathname)
    return answer(request, send)
  })
  return paths
}
const isEvidencePath = (path: string) =>
  /^\/(attestation(\/bundle)?|info|evidences\/.*)$/.test(path)
const isEvidence = (request: Request) => isEvidencePath(new URL(request.url).pathname)
/** Counts verifications: each requests this path once. */
const verifications = (paths: readonly string[]) =>
  paths.filter((path) => path === EVIDENCE_BUNDLE_PATH).length
const through: Answer = (request, send) => send(request)
/** Returns other evidence in place of the origin's. */
const as =
  (variant: EvidenceVariant): Answer =>
  (request, send) => {
    request.headers.set(VARIANT_HEADER, variant)
    return send(request)
  }

let trust: DurableObjectStub<OriginTrust>
/** A separate edge that has not verified anything yet. */
let fresh: typeof env
beforeEach(() => {
  trust = env.ORIGIN_TRUST_OBJECT.getByName(crypto.randomUUID())
  const namespace = { getByName: () => trust } as unknown as typeof env.ORIGIN_TRUST_OBJECT
  fresh = { ...env, ORIGIN_TRUST_OBJECT: namespace }
})
afterEach(() => vi.restoreAllMocks())

const outcomes = () =>
  new SealedOrigin(fresh, Date.now).outcomes(
    { run_ids: ['A'.repeat(48)], wait_ms: 0 },
    new AbortController().signal,
  )
const known = { state: 'known', ended: {}, running: [], unknown: ['A'.repeat(48)] }

describe('OriginTrust', () => {
  it('verifies once for concurrent callers, and again after an hour', async () => {
    const paths = between(through)
    const all = await Promise.all([1, 2, 3].map(() => trust.keys(false)))
    expect(new Set(all.map((keys) => keys.verifiedUntil)).size).toBe(1)
    expect(verifications(paths)).toBe(1)
    const left = all[0]!.verifiedUntil - Date.now()
    expect(left).toBeLessThanOrEqual(CHANNEL_KEY_MAX_AGE_MS)
    await runInDurableObject(trust, async (instance: OriginTrust) => {
      vi.spyOn(Date, 'now').mockReturnValue(all[0]!.verifiedUntil)
      await instance.keys(false)
    })
    expect(verifications(paths)).toBe(2)
  })

  it('renews the verification early in the background, without delaying callers', async () => {
    const { verifiedUntil } = await trust.keys(false)
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => (letThrough = resolve))
    const paths = between(async (request, send) => {
      await held
      return send(request)
    })
    await runInDurableObject(trust, async (instance: OriginTrust) => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(verifiedUntil - 60_000)
      expect((await instance.keys(false)).verifiedUntil).toBe(verifiedUntil)
      expect((await instance.keys(false)).verifiedUntil).toBe(verifiedUntil)
      letThrough()
      await vi.waitFor(async () =>
        expect((await instance.keys(false)).verifiedUntil).toBeGreaterThan(verifiedUntil),
      )
      expect(verifications(paths)).toBe(1)
      clock.mockRestore()
    })
  })

  it('verifies again after an eviction, because nothing is stored on disk', async () => {
    await trust.keys(false)
    await runInDurableObject(trust, async (_, state) => {
      expect((await state.storage.list()).size).toBe(0)
      state.abort('evicted')
    }).catch(() => {})
    const again = env.ORIGIN_TRUST_OBJECT.get(trust.id)
    const paths = between(through)
    await again.keys(false)
    expect(verifications(paths)).toBe(1)
  })

  it('flood: does not verify again within a second of a failure', async () => {
    const paths = between(() => new Response('forged'))
    await runInDurableObject(trust, async (instance: OriginTrust) => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
      for (let n = 0; n < 5; n++) await expect(instance.keys(n > 0)).rejects.toThrow()
      expect(verifications(paths)).toBe(1)
      clock.mockReturnValue(Date.now() + 1_000)
      await expect(instance.keys(false)).rejects.toThrow()
      expect(verifications(paths)).toBe(2)
    })
  })

  it.each<[string, Answer]>([
    ['his own channel key', as('his own key')],
    ['old evidence', as('old files')],
    ['a recorded quote', as('recorded quote')],
    ['the evidence of another app', as('another app')],
    ['a foreign root', as('another root')],
    ['a redirect', () => Response.redirect('https://evil.test/', 302)],
    ['an error', () => new Response('no', { status: 500 })],
    ['an endless file', () => new Response('x'.repeat(2 * 1024 * 1024))],
    ['nobody', () => Promise.reject(new Error('refused'))],
  ])('man in the middle: rejects %s', async (_, answer) => {
    const paths = between((request, send) =>
      isEvidence(request) ? answer(request, send) : send(request),
    )
    await runInDurableObject(trust, async (instance: OriginTrust) => {
      await expect(instance.keys(false)).rejects.toThrow()
    })
    await expect(outcomes()).rejects.toMatchObject({ name: 'OriginUnavailableError' })
    expect(paths.every(isEvidencePath)).toBe(true)
  })
})

describe('a sealed call', () => {
  it('verifies again exactly once if its key is unknown to the origin, and is then sent', async () => {
    await trust.keys(false)
    await later()
    let unknown = 1
    const paths = between((request, send) =>
      !isEvidence(request) && unknown-- > 0 ? new Response('', { status: 421 }) : send(request),
    )
    expect(await outcomes()).toEqual(known)
    expect(verifications(paths)).toBe(1)
  })

  it('double execution: is the same request after it is sealed to a renewed key', async () => {
    await trust.keys(false)
    await later()
    let unknown = 1
    between((request, send) =>
      !isEvidence(request) && unknown-- > 0 ? new Response('', { status: 421 }) : send(request),
    )
    const sealedAs: Freshness[] = []
    await sealedCall(fresh, Date.now, {
      path: SEALED_OUTCOMES_PATH,
      plaintext: (freshness) => {
        sealedAs.push(freshness)
        const request = { run_ids: ['A'.repeat(48)], wait_ms: 0, ...freshness }
        return new Uint8Array(new TextEncoder().encode(JSON.stringify(request)))
      },
      signal: new AbortController().signal,
    })
    expect(sealedAs).toHaveLength(2)
    expect(sealedAs[1]).toEqual(sealedAs[0])
  })

  it('repeated 421: fails after the second', async () => {
    await trust.keys(false)
    await later()
    const paths = between((request, send) =>
      isEvidence(request) ? send(request) : new Response('', { status: 421 }),
    )
    await expect(outcomes()).rejects.toThrow('rejected its own verified key')
    expect(verifications(paths)).toBe(1)
    expect(paths.filter((path) => path.startsWith('/sealed/'))).toHaveLength(2)
  })

  it('421 flood: does not verify again within a second', async () => {
    await trust.keys(false)
    const paths = between((request, send) =>
      isEvidence(request) ? send(request) : new Response('', { status: 421 }),
    )
    for (let i = 0; i < 5; i++) await expect(outcomes()).rejects.toThrow()
    expect(verifications(paths)).toBeLessThanOrEqual(1)
  })

  it.each<[string, Answer]>([
    ['made up', () => sealed(crypto.getRandomValues(new Uint8Array(64)))],
    ['empty', () => sealed(new Uint8Array())],
    ['in the clear', () => Response.json(known)],
    ['a redirect to somebody else', () => Response.redirect('https://evil.test/sealed', 307)],
    [
      'changed in one bit',
      async (request, send) => {
        const bytes = new Uint8Array(await (await send(request)).arrayBuffer())
        bytes[bytes.length - 1]! ^= 1
        return sealed(bytes)
      },
    ],
  ])('forged response: rejects a response that is %s', async (_, answer) => {
    const paths = between((request, send) =>
      isEvidence(request) ? send(request) : answer(request, send),
    )
    await expect(outcomes()).rejects.toMatchObject({ name: 'OriginUnavailableError' })
    expect(paths.filter((path) => !isEvidencePath(path))).toHaveLength(1)
  })

  it('replay: rejects a response to another request', async () => {
    let recorded: Uint8Array<ArrayBuffer> | undefined
    between(async (request, send) => {
      if (isEvidence(request)) return send(request)
      recorded ??= new Uint8Array(await (await send(request)).arrayBuffer())
      return sealed(recorded)
    })
    expect(await outcomes()).toEqual(known)
    await expect(outcomes()).rejects.toMatchObject({ name: 'OriginUnavailableError' })
  })
})

it('eavesdropping: sends neither code, params, run ID nor key in plain text', async () => {
  const sent: Uint8Array[] = []
  between(async (request, send) => {
    if (new URL(request.url).pathname === SEALED_RUNS_PATH)
      sent.push(new Uint8Array(await request.clone().arrayBuffer()))
    return send(request)
  })
  const owner = await someOwner()
  const { id } = await createTrigger(owner, { usage_api_key: 'canary-key' })
  const run = await runOnce(owner, await fire(id, 'canary-body'))
  expect(sent).toHaveLength(1)
  const text = new TextDecoder('latin1').decode(sent[0])
  for (const secret of ['canary', 'steps', run.id]) expect(text).not.toContain(secret)
})

it('rejects a new trigger without a verified origin, and stores nothing', async () => {
  const paths = between((request, send) =>
    isEvidence(request) ? new Response('forged') : send(request),
  )
  const before = await listDurableObjectIds(env.TRIGGER_QUEUE)
  const settings = { ID_MAC_KEY: env.ID_MAC_KEY, CHAINS: {} }
  const context = { ownerId: 'owner', db, settings, now: Date.now, random, by: BY_OPERATOR }
  const body = createTriggerRequest.parse(webhook())
  const refused = storeTrigger(fresh, context, body)
  await expect(refused).rejects.toMatchObject({ name: 'OriginUnavailableError', isUnsent: true })
  expect(await listDurableObjectIds(env.TRIGGER_QUEUE)).toHaveLength(before.length)
  expect(paths.every(isEvidencePath)).toBe(true)
})

const sealed = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(bytes, { headers: { 'content-type': SEALED_CONTENT_TYPE } })

/** At least a second must pass between verifications. */
const later = () => new Promise((resolve) => setTimeout(resolve, 1_050))
