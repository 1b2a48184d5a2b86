/** A payment to make. The only secret in it is the intent's client secret. */
export type Paying = {
  /** Base URL of the processor. */
  url: string
  publishableKey: string
  clientSecret: string
  /** Name of one of the processor's test payment methods. */
  paymentMethod?: string
}

/** Required by the processor if a payment method may redirect to another page. No redirect happens here. */
const RETURN_URL = 'https://example.com/'

/**
 * Pays an intent as the processor's client library does in a browser.
 * @throws {Error} with the processor's message if the payment is refused
 */
export async function payAsClient(paying: Paying): Promise<void> {
  const { url, publishableKey, clientSecret, paymentMethod = 'pm_card_visa' } = paying
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret'))
  const response = await fetch(`${url}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({
      client_secret: clientSecret,
      payment_method: paymentMethod,
      return_url: RETURN_URL,
    }),
  })
  const answer = (await response.json()) as { error?: { message: string } }
  if (!response.ok) throw new Error(answer.error?.message ?? `answered ${response.status}`)
}
