import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { metricsTokenSetting } from '../../shared/metrics-token.ts'

/** What edge and origin of a local stack share; kept, since ids and stored keys depend on it. */
const secretsSchema = z.object({
  channelPsk: z.string().length(43),
  idMacKey: z.string().length(43),
})
export type LocalSecrets = z.infer<typeof secretsSchema>

/** The secrets of a state folder, made at the first start. */
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

/** The password of a state folder's database, made at the first start. */
export function loadDatabasePassword(stateDir: string): string {
  return keptSecret(join(stateDir, 'database-password'))
}

/** Where whoever asks `/metrics` of a local stack finds the token: for curl, and for Prometheus' `credentials_file`. */
export const METRICS_TOKEN_FILE = 'metrics-token'

/** The token of a state folder, made at the first start, in a file of its own that its user alone reads. */
export function loadMetricsToken(stateDir: string): string {
  return metricsTokenSetting.parse(keptSecret(join(stateDir, METRICS_TOKEN_FILE)))
}

/** What the file holds: 32 random bytes in base64url, where it was not there. */
function keptSecret(file: string): string {
  if (!existsSync(file)) {
    const secret = randomBytes(32).toString('base64url')
    writeFileSync(`${file}.new`, secret, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}
