/** Where a payment is made, and by what: nothing of it is secret but the intent's own client secret. */
export type Paying = {
  /** Of the processor. */
  url: string
  publishableKey: string
  clientSecret: string
  /** One of the processor's own names for tests. */
  paymentMethod?: string
}

/** The processor asks for it wherever some of its payment methods lead to another page; nobody is led to it here. */
const RETURN_URL = 'https://example.com/'

/**
 * Pays an intent as the processor's client library does in a browser.
 * @throws {Error} with the processor's message where the payment is refused
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
