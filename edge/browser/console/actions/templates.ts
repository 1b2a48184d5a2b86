import type { Draft } from './draft.ts'

type ActionTemplate = Draft & { name: string }

/**
 * Address that stands for a wallet in templates. It is replaced with one of the account's wallets, if the account has
 * one.
 */
export const PLACEHOLDER_WALLET = '0x0000000000000000000000000000000000000000'

const paramsJson = (value: object) => JSON.stringify(value, null, 2)

export const TEMPLATES: readonly ActionTemplate[] = [
  {
    name: 'Sign a message',
    source: `async function main({ wallet, message }) {
  const signer = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet }))
  console.log('signing for', signer.address)
  return { signature: await signer.signMessage(message) }
}
`,
    params: paramsJson({ wallet: PLACEHOLDER_WALLET, message: 'hello' }),
  },
  {
    name: 'Verify a webhook, then sign',
    source: `// Created once with Svc.Actions.encrypt({ pkpId: WALLET, message: 'the webhook secret' }).
const WALLET = '${PLACEHOLDER_WALLET}'
const SECRET = ''

async function main({ event_raw, headers }) {
  const bytes = (text) => new TextEncoder().encode(text)
  const secret = await Svc.Actions.decrypt({ pkpId: WALLET, ciphertext: SECRET })
  const how = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(secret), how, false, ['verify'])
  const mac = ethers.utils.arrayify(headers['x-hub-signature-256'].replace('sha256=', '0x'))
  if (!(await crypto.subtle.verify('HMAC', key, mac, bytes(event_raw)))) throw new Error('not from the sender')

  const signer = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: WALLET }))
  return { signed: event_raw, signature: await signer.signMessage(event_raw) }
}
`,
    params: paramsJson({
      event_raw: '{"zen":"Keep it logically awesome."}',
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    }),
  },
  {
    name: 'Fetch a URL',
    source: `async function main({ url }) {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(5000),
  })
  if (!response.ok) throw new Error(\`the server answered \${response.status}\`)
  return { type: response.headers.get('content-type'), body: await response.json() }
}
`,
    params: paramsJson({ url: 'https://api.github.com/rate_limit' }),
  },
  {
    name: 'Use the action’s own wallet',
    source: `// The key is derived from this exact source, and is the same in every account. Any change gives another key.
async function main({ a, b }) {
  const own = new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey())
  const sum = String(BigInt(a) + BigInt(b))
  return { sum, by: own.address, signature: await own.signMessage(sum) }
}
`,
    params: paramsJson({ a: '2', b: '3' }),
  },
]
