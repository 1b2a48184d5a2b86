/** What runs in a local stack, as its evidence names it. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulatedAppCompose } from '../tee/app-compose-file.ts'
import { ensureGovernance } from './governance.ts'

/** 0x hex of the governance contract, and the file with the text that its members have allowed. */
export type LocalApp = { governance: string; composeFile: string }

/**
 * Lets the members allow the compose text of this checkout. It is read once, and kept for the origin to read, so that
 * what is allowed is what it says it runs.
 * @param composeFile another text (`SVC_APP_COMPOSE_FILE`)
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
