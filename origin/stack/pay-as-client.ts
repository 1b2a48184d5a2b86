/** The intent's client secret is the only secret. */
type ClientPayment = {
  url: string
  publishableKey: string
  clientSecret: string
  /**
   * Test payment method of the processor.
   * @default 'pm_card_visa'
   */
  paymentMethod?: string
}

/** Return URL, which the processor requires if a payment method may redirect. No redirect occurs here. */
const RETURN_URL = 'https://example.com/'

/** @throws {Error} if the payment is refused, with the processor's message */
export async function payAsClient(paying: ClientPayment): Promise<void> {
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
