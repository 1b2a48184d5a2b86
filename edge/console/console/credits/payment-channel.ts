/** Messages between the console and the payment page (see `handover.ts`). */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

/**
 * Message from the payment page. The console treats `paid` and `on its way` only as hints, and asks the origin, which
 * asks the payment processor.
 */
export type FromPayPage = { said: 'ready' | 'paid' | 'on its way' }

export const PAY_PATH = '/pay'

/** @param fragment fragment of the payment page's URL, which browsers never send to a server */
export const channelName = (fragment: string) => `svc/pay/${fragment}`
