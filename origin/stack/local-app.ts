import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulatedAppCompose } from '../tee/simulated-app-compose.ts'
import { ensureGovernance } from './governance.ts'

/** Governance address in 0x hex, and path of the compose text that the members have allowed. */
export type LocalApp = { governance: string; composeFile: string }

/**
 * The text is read once and stored for the origin, so that the origin reports exactly the text that was allowed.
 * @param composeFile path of a different compose text (`SVC_APP_COMPOSE_FILE`)
 */
export async function ensureApp(
  stateDir: string,
  rpcUrl: string,
  composeFile: string | undefined,
): Promise<LocalApp> {
  const text = simulatedAppCompose(composeFile)
  const kept = join(stateDir, 'app-compose.json')
  writeFileSync(kept, text)
  const composeHash = createHash('sha256').update(text).digest('hex')
  const governance = await ensureGovernance(stateDir, rpcUrl, composeHash)
  return { governance, composeFile: kept }
}
