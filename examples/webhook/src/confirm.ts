import { defineAction, type WebhookParams } from '@svc-run/cli/action'

type Push = { ref: string; after: string; repository: { full_name: string } }
type Params = WebhookParams<unknown, { wallet: string; secret: string }>

/** Signs a statement about each push to a repository. */
export default defineAction(async (params: Params) => {
  await requireSender(params)
  // `event` is not signed: anyone with the usage key can pass another one.
  const event = JSON.parse(params.event_raw) as Push
  const statement = `push to ${event.repository.full_name}: ${event.ref} is at ${event.after}`
  const signature = await Svc.Actions.signMessage({ pkpId: params.wallet, message: statement })
  return { statement, signature }
})

/** GitHub signs the exact bytes of the body with the secret of the webhook. */
async function requireSender({ headers, event_raw, wallet, secret }: Params): Promise<void> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const mac = (headers['x-hub-signature-256'] ?? '').replace(/^sha256=/, '0x')
  const key = await crypto.subtle.importKey(
    'raw',
    bytes(await Svc.Actions.decrypt({ pkpId: wallet, ciphertext: secret })),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const isSigned =
    ethers.utils.isHexString(mac, 32) &&
    (await crypto.subtle.verify('HMAC', key, ethers.utils.arrayify(mac), bytes(event_raw)))
  if (!isSigned) throw new Error('the request is not signed by GitHub')
}
