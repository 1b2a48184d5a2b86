/** See `offer-payment.ts`. */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

/** `paid` and `on its way` are only hints: the console asks the origin, which asks the payment processor. */
export type FromPayPage = { said: 'ready' | 'paid' | 'on its way' }

export const PAY_PATH = '/pay'

/** Browsers never send the fragment to a server. */
export const channelName = (fragment: string) => `svc/pay/${fragment}`
