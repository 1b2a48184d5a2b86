/** A payment to make. Its only secret is the intent's client secret. */
export type Paying = {
  /** Base URL of the payment processor. */
  url: string
  publishableKey: string
  clientSecret: string
  /** Name of a test payment method of the processor, by default a Visa card. */
  paymentMethod?: string
}

/** URL that the processor requires if a payment method may redirect to another page. No redirect occurs here. */
const RETURN_URL = 'https://example.com/'

/**
 * Pays an intent in the same way as the processor's client library in a browser.
 * @throws {Error} if the payment is refused; the message is that of the processor
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
  if (!response.ok)
    throw new Error(answer.error?.message ?? `responded with status ${response.status}`)
}
