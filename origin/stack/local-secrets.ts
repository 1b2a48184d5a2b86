import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { metricsTokenSetting } from '../../shared/config/metrics-token.ts'

/** Shared by edge and origin. Stored on disk, because IDs and stored keys depend on them. */
const secretsSchema = z.object({
  channelPsk: z.string().length(43),
  idMacKey: z.string().length(43),
})
export type LocalSecrets = z.infer<typeof secretsSchema>

/** Creates the secrets at the first start. */
export function loadLocalSecrets(stateDir: string): LocalSecrets {
  const file = join(stateDir, 'secrets.json')
  if (!existsSync(file)) {
    const secret = () => randomBytes(32).toString('base64url')
    const secrets: LocalSecrets = { channelPsk: secret(), idMacKey: secret() }
    writeFileSync(`${file}.new`, `${JSON.stringify(secrets)}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** Creates the password at the first start. */
export function loadDatabasePassword(stateDir: string): string {
  return loadSecret(join(stateDir, 'database-password'))
}

/** Token for `/metrics`, for use with curl, or as the `credentials_file` of Prometheus. */
export const METRICS_TOKEN_FILE = 'metrics-token'

/** Creates the token at the first start, in a file that only the current user can read. */
export function loadMetricsToken(stateDir: string): string {
  return metricsTokenSetting.parse(loadSecret(join(stateDir, METRICS_TOKEN_FILE)))
}

/** If the file does not exist, creates it with 32 random bytes in base64url. */
function loadSecret(file: string): string {
  if (!existsSync(file)) {
    const secret = randomBytes(32).toString('base64url')
    writeFileSync(`${file}.new`, secret, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}
