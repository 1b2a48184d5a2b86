import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const SECRET = 'a secret of the webhook'
const signer = testWallet('signer', { policy })
const push = { ref: 'refs/heads/main', after: 'c0ffee', repository: { full_name: 'acme/shop' } }

/** Runs the action as GitHub’s delivery would, signed with a secret. Only the body is signed, not the parsed event. */
async function deliver(signedWith: string, event: object = push) {
  const encrypted = await runAction('src/encrypt.ts', {
    params: { wallet: signer.address, secret: SECRET },
    wallets: { signer },
  })
  const event_raw = JSON.stringify(push)
  return runAction('src/confirm.ts', {
    params: {
      source: 'webhook',
      event,
      event_raw,
      event_raw_encoding: 'utf8',
      headers: { 'x-hub-signature-256': `sha256=${await macOf(signedWith, event_raw)}` },
      wallet: signer.address,
      secret: encrypted.response,
    },
    wallets: { signer },
  })
}

async function macOf(secret: string, text: string): Promise<string> {
  const bytes = (of: string) => new TextEncoder().encode(of)
  const how = { name: 'HMAC', hash: 'SHA-256' } as const
  const key = await crypto.subtle.importKey('raw', bytes(secret), how, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

it('signs a statement about a push', async () => {
  const run = await deliver(SECRET)
  const statement = 'push to acme/shop: refs/heads/main is at c0ffee'
  expect(run).toRespondWith({ statement, signature: expect.any(String) })
  expect(run).toHaveSigned({ wallet: 'signer', kind: 'message', message: statement })
})

it('rejects a request that somebody else signed', async () => {
  const run = await deliver('another secret')
  expect(run).toFailWith('action_threw', 'the request is not signed by GitHub')
  expect(run.signatures).toEqual([])
})

it('signs nothing about another event that is passed with a captured body', async () => {
  const run = await deliver(SECRET, { ...push, after: 'e71150' })
  expect(run).toHaveSigned({ message: 'push to acme/shop: refs/heads/main is at c0ffee' })
  expect(run.signatures).toHaveLength(1)
})
