/** Calls the core API, with GET if there is no body. Does not validate the shape of the response. */
export type CoreCall = (path: string, body: unknown, key?: string) => Promise<any>

type TopUpOptions = {
  core: CoreCall
  pay: (intent: { publishableKey: string; clientSecret: string }) => Promise<void>
  key: string
}

/** Amount of the top-up in cents, which is the minimum payment. */
const TOP_UP_CENTS = 500

export async function topUp({
  core,
  pay,
  key,
}: TopUpOptions): Promise<{ before: string; after: string }> {
  const before = await balanceOf(core, key)
  const { publishable_key } = await core('billing/processor_config', undefined)
  const intent = await core('billing/create_payment_intent', { amount_cents: TOP_UP_CENTS }, key)
  await pay({ publishableKey: publishable_key, clientSecret: intent.client_secret })
  const { payment_intent_id } = intent
  const confirmed = await core('billing/confirm_payment', { payment_intent_id }, key)
  return { before, after: confirmed.balance_display }
}

export async function balanceOf(core: CoreCall, key: string): Promise<string> {
  return (await core('billing/balance', undefined, key)).balance_display
}
