import { encodeHex } from '../hex.ts'
import { check, quoted } from './check-failed.ts'
import type { MeasuredEvent } from './event-log.ts'

/**
 * Last event of the boot. The system measures these names before it; the application can measure the same names later.
 */
const BOOT_ENDS_WITH = 'system-ready'
const NAMES = ['app-id', 'compose-hash', 'instance-id', 'key-provider'] as const
type Name = (typeof NAMES)[number]

/** Values are hex, except the key provider. Undefined if not measured. */
export type MeasuredApp = {
  appId: string
  composeHash: string
  instanceId: string | undefined
  /** JSON written by dstack: `{"name":"kms","id":"…"}`. */
  keyProvider: string | undefined
}

/**
 * Extracts what the system measured about the application before starting it. Later events come from the application
 * itself and are ignored.
 * @param events of a log that replays
 * @throws {CheckFailed} if the boot events are ambiguous
 */
export function measuredApp(events: readonly MeasuredEvent[]): MeasuredApp {
  const measured = new Map<string, Uint8Array>()
  for (const event of bootEvents(events)) {
    if (!isOneOf(event.name)) continue
    check(!measured.has(event.name), `the boot has a repeated ${event.name} event`)
    measured.set(event.name, event.payload)
  }
  const appId = measured.get('app-id')
  check(appId?.length === 20, 'the boot has no app-id event of 20 bytes')
  const composeHash = measured.get('compose-hash')
  check(composeHash?.length === 32, 'the boot has no compose-hash event of 32 bytes')
  const instanceId = measured.get('instance-id')
  const keyProvider = measured.get('key-provider')
  return {
    appId: encodeHex(appId),
    composeHash: encodeHex(composeHash),
    instanceId: instanceId && encodeHex(instanceId),
    keyProvider: keyProvider && new TextDecoder().decode(keyProvider),
  }
}

function isOneOf(name: string): name is Name {
  return (NAMES as readonly string[]).includes(name)
}

function bootEvents(events: readonly MeasuredEvent[]): MeasuredEvent[] {
  const runtime = events.filter(({ imr }) => imr === 3)
  // The digest of any other event type does not cover its name. Renamed events of that type could hide the real boot //
  // events, up to a `system-ready` that the application measured.
  for (const { isRuntime, name } of runtime)
    check(isRuntime, `RTMR3 has an event (${quoted(name)}) that is not a runtime event`)
  const end = runtime.findIndex(({ name }) => name === BOOT_ENDS_WITH)
  check(end !== -1, `the boot has no ${BOOT_ENDS_WITH} event`)
  const boot = runtime.slice(0, end)
  // In version 1, a colon ends the name. With a colon inside the name, two events could have the same digest.
  for (const { name } of boot)
    check(!name.includes(':'), `the boot has an event whose name has a colon: ${quoted(name)}`)
  return boot
}
