import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EvidenceRejectedError } from '../../../shared/attestation/require-verified.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import { type Network, policyFor, showEvidence, verifyFrom } from './client-of.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
  await showEvidence(origin)
})
afterAll(() => origin.close())

const pathOf = (request: Request) => new URL(request.url).pathname

describe('a client that verifies an origin', () => {
  it('obtains the keys and the application that the evidence names', async () => {
    const { keyring } = origin.services
    const trusted = await verifyFrom(origin)
    expect(Buffer.from(trusted.channelKey)).toEqual(keyring.channelKey(1).publicKey)
    expect(Buffer.from(trusted.receiptKey)).toEqual(keyring.receiptKey().publicKey)
    expect(trusted.composeHash).toBe((await origin.call('/info')).body.compose_hash)
    expect(trusted.report.verdict).toBe('SIMULATED')
  })

  it('can verify it again', async () => {
    const again = await (await verifyFrom(origin)).verifyAgain()
    expect(again.report.verdict).toBe('SIMULATED')
  })

  it('man in the middle: a channel key of the attacker is refused', async () => {
    const his = new Keyring(randomBytes(32)).channelKey(1).publicKey.toString('base64url')
    const network: Network = async (request, passOn) => {
      const answer = await passOn()
      if (pathOf(request) !== '/attestation/bundle') return answer
      const bundle: any = await answer.json()
      const file: object = JSON.parse(bundle.files['channel-key.json'])
      bundle.files['channel-key.json'] = JSON.stringify({ ...file, public_key: his })
      return Response.json(bundle)
    }
    await expect(verifyFrom(origin, network)).rejects.toBeInstanceOf(EvidenceRejectedError)
  })

  it('man in the middle: a channel key of the attacker is refused, also file by file', async () => {
    const his = new Keyring(randomBytes(32)).channelKey(1).publicKey.toString('base64url')
    const network: Network = async (request, passOn) => {
      // As from an origin of the previous version.
      if (pathOf(request) === '/attestation/bundle') return new Response(null, { status: 404 })
      const answer = await passOn()
      if (!pathOf(request).endsWith('/channel-key.json')) return answer
      const file = (await answer.json()) as object
      return Response.json({ ...file, public_key: his })
    }
    await expect(verifyFrom(origin, network)).rejects.toBeInstanceOf(EvidenceRejectedError)
  })

  it('replayed evidence: rejects a fresh quote for another nonce', async () => {
    const kept: { answer?: string } = {}
    const network: Network = async (request, passOn) => {
      const answer = await (await passOn()).text()
      if (!request.url.includes('nonce=')) return new Response(answer)
      return new Response((kept.answer ??= answer))
    }
    await verifyFrom(origin, network)
    await expect(verifyFrom(origin, network)).rejects.toBeInstanceOf(EvidenceRejectedError)
  })

  it('another root: rejects a root that the policy does not name', async () => {
    const policies = [
      { ...policyFor(origin), root: { kind: 'intel' as const } },
      {
        ...policyFor(origin),
        root: { kind: 'simulated' as const, spkiSha256: '00'.repeat(32) },
      },
    ]
    for (const policy of policies)
      await expect(verifyFrom(origin, undefined, policy)).rejects.toBeInstanceOf(
        EvidenceRejectedError,
      )
  })

  it('another application: rejects an application that the policy does not name', async () => {
    const policy = { ...policyFor(origin), composeHashes: ['00'.repeat(32)] }
    await expect(verifyFrom(origin, undefined, policy)).rejects.toBeInstanceOf(
      EvidenceRejectedError,
    )
  })
})
