import { PROCESSOR_SCRIPT_URL } from './payment-settings.ts'

/** Origins that a page lets in for the processor's client library. */
export type ProcessorSources = Record<'scripts' | 'frames' | 'connect' | 'images', string[]>

/** As its documentation lists them (https://docs.stripe.com/security/guide#content-security-policy). */
const STRIPE_SOURCES: ProcessorSources = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
  images: ['https://*.stripe.com'],
}

/** @param script its client library; one of a test has all at its own origin */
export function processorSources(script: string): ProcessorSources {
  if (script === PROCESSOR_SCRIPT_URL) return STRIPE_SOURCES
  const { origin } = new URL(script)
  return { scripts: [origin], frames: [origin], connect: [origin], images: [origin] }
}
