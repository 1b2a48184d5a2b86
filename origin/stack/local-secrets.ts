import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { metricsTokenSetting } from '../../shared/config/settings.ts'
import { replaceFile } from '../replace-file.ts'

/** Shared by edge and origin. Stored on disk, because IDs and stored keys depend on them. */
const secretsSchema = z.object({
  channelPsk: z.string().length(43),
  idMacKey: z.string().length(43),
})
export type LocalSecrets = z.infer<typeof secretsSchema>

/** Creates the secrets at the first start. */
export function loadLocalSecrets(stateDir: string): LocalSecrets {
  const create = () => {
    const secrets: LocalSecrets = { channelPsk: randomSecret(), idMacKey: randomSecret() }
    return `${JSON.stringify(secrets)}\n`
  }
  return secretsSchema.parse(JSON.parse(readOrCreate(join(stateDir, 'secrets.json'), create)))
}

/** Creates the password at the first start. */
export function loadDatabasePassword(stateDir: string): string {
  return readOrCreate(join(stateDir, 'database-password'), randomSecret).trim()
}

/** Token for `/metrics`, for use with curl, or as the `credentials_file` of Prometheus. */
export const METRICS_TOKEN_FILE = 'metrics-token'

/** Creates the token at the first start, in a file that only the current user can read. */
export function loadMetricsToken(stateDir: string): string {
  const token = readOrCreate(join(stateDir, METRICS_TOKEN_FILE), randomSecret).trim()
  return metricsTokenSetting.parse(token)
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function readOrCreate(file: string, create: () => string): string {
  if (!existsSync(file)) replaceFile(file, create())
  return readFileSync(file, 'utf8')
}
