import { PROCESSOR_SCRIPT_URL } from './payment-settings.ts'

/** Origins that the content security policy of `/pay` allows for the processor's client library. */
export type ProcessorSources = Record<'scripts' | 'frames' | 'connect' | 'images', string[]>

/** From its documentation (https://docs.stripe.com/security/guide#content-security-policy). */
const STRIPE_SOURCES: ProcessorSources = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
  images: ['https://*.stripe.com'],
}

/** @param script URL of the client library. The library of a test uses only its own origin. */
export function processorSources(script: string): ProcessorSources {
  if (script === PROCESSOR_SCRIPT_URL) return STRIPE_SOURCES
  const { origin } = new URL(script)
  return { scripts: [origin], frames: [origin], connect: [origin], images: [origin] }
}
