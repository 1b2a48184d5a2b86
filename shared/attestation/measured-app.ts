import { encodeHex } from '../hex.ts'
import { check, quoted } from './check-failed.ts'
import type { MeasuredEvent } from './event-log.ts'

/** The system measures these before it starts the application, which can measure the same names later. */
const BOOT_ENDS_WITH = 'system-ready'
const NAMES = ['app-id', 'compose-hash', 'instance-id', 'key-provider'] as const
type Name = (typeof NAMES)[number]

/** Hex, but for the key provider's own words; `undefined` for what was not measured. */
export type MeasuredApp = {
  appId: string
  composeHash: string
  instanceId: string | undefined
  /** JSON by dstack: `{"name":"kms","id":"…"}`. */
  keyProvider: string | undefined
}

/**
 * What the system measured of the application before that ran. Later events are the application's and say nothing.
 * @param events of a log that replays
 * @throws {CheckFailed} where the boot can be read in more than one way
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
  // The digest of another type is not of its name: the boot's own events could be hidden behind such, up to a
  // `system-ready` that the application measured.
  for (const { isRuntime, name } of runtime)
    check(isRuntime, `RTMR3 has an event (${quoted(name)}) that is not a runtime event`)
  const end = runtime.findIndex(({ name }) => name === BOOT_ENDS_WITH)
  check(end !== -1, `the boot has no ${BOOT_ENDS_WITH} event`)
  const boot = runtime.slice(0, end)
  // In version 1 a colon ends the name: with one in it, the same digest could be of another event.
  for (const { name } of boot)
    check(!name.includes(':'), `the boot has an event whose name has a colon: ${quoted(name)}`)
  return boot
}
