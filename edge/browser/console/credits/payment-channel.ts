/** Messages between the console and the payment page (see `offerPayment`). */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

/**
 * Message from the payment page. `paid` and `on its way` are only hints: the console asks the origin, which asks the
 * payment processor.
 */
export type FromPayPage = { said: 'ready' | 'paid' | 'on its way' }

export const PAY_PATH = '/pay'

/** The random part comes from the URL's fragment, which browsers never send to a server. */
export const channelName = (fragment: string) => `svc/pay/${fragment}`
