/** Rule 2: the machine runs the application that the compose text in the evidence describes. */
import { check } from '../check-failed.ts'
import { sha256Hex } from '../digests.ts'
import type { Info } from '../evidence.ts'
import type { Machine } from '../machine.ts'
import { measuredEnvironments } from '../measured-environment.ts'
import type { Policy } from '../policy.ts'
import type { Finding } from '../report.ts'
import type { TrustRoot } from '../root.ts'

export function composeHashRule(
  { app_id, compose_hash, tcb_info }: Info,
  { app }: Machine,
  root: TrustRoot['kind'],
  policy: Policy,
): Finding {
  const stated = compose_hash.toLowerCase()
  // The text is hashed as received. Parsing and serializing the text could change its whitespace, and therefore the
  // hash.
  check(
    sha256Hex(tcb_info.app_compose) === stated,
    "compose_hash is not the SHA-256 of /info's app_compose",
  )
  check(stated === app.composeHash, "compose_hash is not the machine's compose-hash event (RTMR3)")
  check(plainHex(app_id) === app.appId, "app_id is not the machine's app-id event (RTMR3)")
  const { appId, composeHashes } = policy
  check(
    !appId || plainHex(appId) === app.appId,
    `the application is ${app.appId}, which is not accepted`,
  )
  const isAccepted =
    !composeHashes || composeHashes.some((hash) => plainHex(hash) === app.composeHash)
  check(isAccepted, `the compose hash ${app.composeHash} is not accepted`)
  const environments = measuredEnvironments(tcb_info.app_compose)
  const isProduction = environments.every((name): boolean => name === 'production')
  check(
    root === 'simulated' || isProduction,
    'the compose file does not set SVC_ENV=production, but the machine is a real one',
  )
  const open = []
  if (environments.includes('staging'))
    open.push(
      'This is a staging deployment (SVC_ENV=staging in the compose file): payments are not real, and its keys are for tests only.',
    )
  if (!appId && !composeHashes)
    open.push(
      'Whether this is the application that you expect: neither its ID nor its compose hash is pinned.',
    )
  return {
    outcome: 'passed',
    reason: `app_compose matches the measured compose hash: ${app.composeHash}`,
    open,
  }
}

function plainHex(text: string): string {
  return text.toLowerCase().replace(/^0x/, '')
}
