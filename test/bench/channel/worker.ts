/** The edge's side of the channel, repeated on request: sealed, unsealed, and its parts separately. */
import { type Env, settingsOf } from '../../../edge/env.ts'
import { attestationPolicy } from '../../../edge/trust/trust-settings.ts'
import { sealedCall, sealingKeys } from '../../../edge/trust/sealed-call.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { decodeBase64url, encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { sealCall } from '../../../shared/envelope/seal.ts'
import { executeResponseSchema, SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import type { Asked } from './asked.ts'

export { OriginTrust } from '../../../edge/trust/origin-trust.ts'

type Work = (env: Env, asked: Asked) => Promise<void>

const works: Record<string, Work> = {
  '/sealed': async (env, { request }) => {
    const text = await sealedCall(env, Date.now, {
      path: SEALED_EXECUTE_PATH,
      plaintext: (fields) => encode({ ...request, ...fields }),
      signal: AbortSignal.timeout(30_000),
    })
    requireEnded(executeResponseSchema.parse(JSON.parse(new TextDecoder().decode(text))))
  },
  '/unsealed': async (env, { request }) => {
    const answer = await fetch(new URL('/bench/execute', settingsOf(env).ORIGIN_URL), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, ...freshness() }),
    })
    requireEnded(executeResponseSchema.parse(await answer.json()))
  },
  '/seal': async (env, { request }) => {
    const { channel } = await sealingKeys(env, Date.now())
    await sealCall(channel, {
      method: 'POST',
      path: SEALED_EXECUTE_PATH,
      plaintext: encode({ ...request, ...freshness() }),
      psk: decodeBase64url(env.CHANNEL_PSK)!,
    })
  },
  '/verify': async (env, { bundle }) => {
    const report = await verifyBundle(bundle, attestationPolicy(settingsOf(env)), new Date())
    if (report.verdict !== 'SIMULATED') throw new Error(report.verdict)
  },
}

export default {
  async fetch(request, env) {
    const work = works[new URL(request.url).pathname]
    if (!work) return new Response('', { status: 404 })
    const asked = await request.json<Asked>()
    for (let time = 0; time < asked.times; time++) await work(env, asked)
    return new Response('done')
  },
} satisfies ExportedHandler<Env>

function encode(value: object): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(JSON.stringify(value)))
}

function freshness() {
  const issued_at = Date.now()
  const request_id = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  return { request_id, issued_at, expires_at: issued_at + 60_000 }
}

function requireEnded(answer: { state: string }): void {
  if (answer.state !== 'ended') throw new Error(JSON.stringify(answer).slice(0, 300))
}
