import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../../../shared/limits.ts'
import type { PaymentHandover } from '../console/credits/payment-channel.ts'

const CLIENT_SECRET = /^pi_[A-Za-z0-9]{1,100}_secret_[A-Za-z0-9_]{1,200}$/
const PUBLISHABLE_KEY = /^pk_(?:test|live)_[A-Za-z0-9_]{1,250}$/

export function parsePayment(given: unknown): PaymentHandover | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { clientSecret, publishableKey, amountCents } = given as Partial<PaymentHandover>
  if (typeof clientSecret !== 'string' || !CLIENT_SECRET.test(clientSecret)) return undefined
  if (typeof publishableKey !== 'string' || !PUBLISHABLE_KEY.test(publishableKey)) return undefined
  if (!Number.isInteger(amountCents)) return undefined
  if (amountCents! < PAYMENT_MIN_CENTS || amountCents! > PAYMENT_MAX_CENTS) return undefined
  return { clientSecret, publishableKey, amountCents: amountCents! }
}
