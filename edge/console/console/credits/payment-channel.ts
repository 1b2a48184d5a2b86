/** Messages between the console and its payment page: see `handover.ts`. */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

/** `paid` and `on its way` are only hints: the console asks the origin, which asks the payment processor. */
export type FromPayPage = { said: 'ready' | 'paid' | 'on its way' }

export const PAY_PATH = '/pay'

/** @param fragment the fragment of the page's URL, which is never sent to a server */
export const channelName = (fragment: string) => `svc/pay/${fragment}`
