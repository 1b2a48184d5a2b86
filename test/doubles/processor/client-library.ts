/**
 * Pays as the processor's client library does in a browser: by what is published, and the client secret.
 * @param paymentMethod one of the processor's own names for tests
 * @throws {Error} with the processor's message where the payment is refused
 */
export async function payAsClient(
  url: string,
  { publishableKey, clientSecret }: { publishableKey: string; clientSecret: string },
  paymentMethod = 'pm_card_visa',
): Promise<void> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret'))
  const response = await fetch(`${url}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, payment_method: paymentMethod }),
  })
  const answer = (await response.json()) as { error?: { message: string } }
  if (!response.ok) throw new Error(answer.error?.message ?? `answered ${response.status}`)
}
