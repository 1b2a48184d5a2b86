import { encodeHex } from '../encoding/hex.ts'
import { check, quoted } from './check-failed.ts'
import type { MeasuredEvent } from './event-log.ts'

/** Name of the event that ends the boot. Later events with the names in `NAMES` may come from the application. */
const BOOT_ENDS_WITH = 'system-ready'
const NAMES = new Set(['app-id', 'compose-hash', 'instance-id', 'key-provider'])

/**
 * Properties of the application that the system measured during boot. Values are hex, except the key provider.
 * Undefined values were not measured.
 */
export type MeasuredApp = {
  appId: string
  composeHash: string
  instanceId: string | undefined
  /** Key provider as JSON written by dstack: `{"name":"kms","id":"…"}`. */
  keyProvider: string | undefined
}

/**
 * Reads the application's properties from the boot events. Ignores later events, because the application itself can
 * produce them.
 * @param events a log that was already replayed successfully
 * @throws {CheckFailedError} if the boot events are ambiguous
 */
export function measuredApp(events: readonly MeasuredEvent[]): MeasuredApp {
  const measured = new Map<string, Uint8Array>()
  for (const event of bootEvents(events)) {
    if (!NAMES.has(event.name)) continue
    check(!measured.has(event.name), `the boot log repeats the ${event.name} event`)
    measured.set(event.name, event.payload)
  }
  const appId = measured.get('app-id')
  check(appId?.length === 20, 'the boot log has no app-id event of 20 bytes')
  const composeHash = measured.get('compose-hash')
  check(composeHash?.length === 32, 'the boot log has no compose-hash event of 32 bytes')
  const instanceId = measured.get('instance-id')
  const keyProvider = measured.get('key-provider')
  return {
    appId: encodeHex(appId),
    composeHash: encodeHex(composeHash),
    instanceId: instanceId && encodeHex(instanceId),
    keyProvider: keyProvider && new TextDecoder().decode(keyProvider),
  }
}

function bootEvents(events: readonly MeasuredEvent[]): MeasuredEvent[] {
  const runtime = events.filter(({ imr }) => imr === 3)
  // Only the digest of a runtime event covers the event's name. If events of other types were allowed, renamed ones
  // could hide the real boot events, up to a `system-ready` event that the application measured.
  for (const { isRuntime, name } of runtime)
    check(isRuntime, `RTMR3 has an event (${quoted(name)}) that is not a runtime event`)
  const end = runtime.findIndex(({ name }) => name === BOOT_ENDS_WITH)
  check(end !== -1, `the boot log has no ${BOOT_ENDS_WITH} event`)
  const boot = runtime.slice(0, end)
  // Names must not contain colons. In version 1 of the event format, a colon ends the name in the preimage, so two
  // different events could otherwise have the same digest.
  for (const { name } of boot)
    check(
      !name.includes(':'),
      `the boot log has an event with a colon in its name: ${quoted(name)}`,
    )
  return boot
}
