type Signed = { headers: Record<string, string>; event_raw: string; wallet: string; secret: string }

/** Time in which a run has to start. A new version of the action does not know what the earlier one has paid. */
const AGE_MAX_S = 60 * 60

/** Stripe signs the time and the exact bytes of the body with the secret of the endpoint. */
export async function requireStripe({ headers, event_raw, wallet, secret }: Signed): Promise<void> {
  const fields = (headers['stripe-signature'] ?? '').split(',').map((field) => field.split('='))
  const values = (name: string) => fields.flatMap(([key, value]) => (key === name ? value : []))
  const [time = ''] = values('t')
  const key = await crypto.subtle.importKey(
    'raw',
    bytes(await Svc.Actions.decrypt({ pkpId: wallet, ciphertext: secret })),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  // While a secret is replaced, there is a signature for each of the two.
  const verified = await Promise.all(
    values('v1').map(
      async (mac) =>
        ethers.utils.isHexString(`0x${mac}`, 32) &&
        crypto.subtle.verify(
          'HMAC',
          key,
          Uint8Array.from(ethers.utils.arrayify(`0x${mac}`)),
          bytes(`${time}.${event_raw}`),
        ),
    ),
  )
  if (!verified.includes(true)) throw new Error('the request is not signed by Stripe')
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < AGE_MAX_S))
    throw new Error('the event is too old: check it, and pay by hand')
}

const bytes = (text: string) => new TextEncoder().encode(text)
