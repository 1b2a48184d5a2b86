/** What the console and its payment page say to each other: see `handover.ts`. */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

/** `paid` and `on its way` are hints: the console asks the machine, which asks the processor. */
export type FromPayPage = { said: 'ready' | 'paid' | 'on its way' }

export const PAY_PATH = '/pay'

/** @param fragment of the page's address, which no server sees */
export const channelName = (fragment: string) => `svc/pay/${fragment}`
