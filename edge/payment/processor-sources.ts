import { PROCESSOR_SCRIPT_URL } from './payment-settings.ts'

export type ProcessorSources = Record<'scripts' | 'frames' | 'connect' | 'images', string[]>

/** Sources from Stripe's documentation (https://docs.stripe.com/security/guide#content-security-policy). */
const STRIPE_SOURCES: ProcessorSources = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
  images: ['https://*.stripe.com'],
}

/**
 * In tests, the library uses only its own origin.
 * @param script URL of the client library
 */
export function processorSources(script: string): ProcessorSources {
  if (script === PROCESSOR_SCRIPT_URL) return STRIPE_SOURCES
  const { origin } = new URL(script)
  return { scripts: [origin], frames: [origin], connect: [origin], images: [origin] }
}
