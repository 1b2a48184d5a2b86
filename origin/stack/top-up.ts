/** Calls an operation of the core API. Uses GET if there is no body. The shape of the response is not validated. */
export type Core = (path: string, body: unknown, key?: string) => Promise<any>

export type TopUp = {
  core: Core
  pay: (intent: { publishableKey: string; clientSecret: string }) => Promise<void>
  key: string
}

/** Amount to pay in cents, which is the minimum payment. */
const CENTS = 500

/**
 * Makes a payment in the same way as a client.
 * @returns the balance before and after the payment
 */
export async function topUp({ core, pay, key }: TopUp): Promise<{ before: string; after: string }> {
  const before = await balanceOf(core, key)
  const { publishable_key } = await core('billing/processor_config', undefined)
  const intent = await core('billing/create_payment_intent', { amount_cents: CENTS }, key)
  await pay({ publishableKey: publishable_key, clientSecret: intent.client_secret })
  const { payment_intent_id } = intent
  const confirmed = await core('billing/confirm_payment', { payment_intent_id }, key)
  return { before, after: confirmed.balance_display }
}

/** Returns an account's balance as displayed to users, such as `$5.00`. */
export async function balanceOf(core: Core, key: string): Promise<string> {
  return (await core('billing/balance', undefined, key)).balance_display
}
