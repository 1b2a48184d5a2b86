/** Rule 2: the machine runs the application that this compose text describes. */
import { check } from '../check-failed.ts'
import { sha256Hex } from '../digests.ts'
import type { Info } from '../evidence.ts'
import type { Machine } from '../machine.ts'
import type { Policy } from '../policy.ts'
import type { Finding } from '../report.ts'

/** @throws {CheckFailed} */
export function composeHashRule(
  { app_id, compose_hash, tcb_info }: Info,
  { app }: Machine,
  policy: Policy,
): Finding {
  const stated = compose_hash.toLowerCase()
  // Hashes the text as received: serializing it again could change whitespace, and with it the hash.
  check(
    sha256Hex(tcb_info.app_compose) === stated,
    "compose_hash is not SHA-256 of /info's app_compose",
  )
  check(stated === app.composeHash, "compose_hash is not the machine's compose-hash event (RTMR3)")
  check(plainHex(app_id) === app.appId, "app_id is not the machine's app-id event (RTMR3)")
  const { appId, composeHashes } = policy
  check(
    !appId || plainHex(appId) === app.appId,
    `the application is ${app.appId}, which is not the accepted one`,
  )
  const isAccepted =
    !composeHashes || composeHashes.some((hash) => plainHex(hash) === app.composeHash)
  check(isAccepted, `the compose hash ${app.composeHash} is none of the accepted ones`)
  const open =
    appId || composeHashes
      ? []
      : [
          'Whether this application is the one that you mean: neither its id nor its compose hash is pinned.',
        ]
  return {
    outcome: 'passed',
    reason: `app_compose is what the machine measured: ${app.composeHash}`,
    open,
  }
}

function plainHex(text: string): string {
  return text.toLowerCase().replace(/^0x/, '')
}
