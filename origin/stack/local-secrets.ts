import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { operatorTokenSetting } from '../../shared/config/settings.ts'
import { replaceFile } from '../replace-file.ts'

/** Secrets that the edge and the origin share. Stored on disk, because IDs and stored keys depend on them. */
const secretsSchema = z.object({
  channelPsk: z.string().length(43),
  idMacKey: z.string().length(43),
})
export type LocalSecrets = z.infer<typeof secretsSchema>

export function loadLocalSecrets(stateDir: string): LocalSecrets {
  const create = () => {
    const secrets: LocalSecrets = { channelPsk: randomSecret(), idMacKey: randomSecret() }
    return `${JSON.stringify(secrets)}\n`
  }
  return secretsSchema.parse(JSON.parse(readOrCreate(join(stateDir, 'secrets.json'), create)))
}

export function loadDatabasePassword(stateDir: string): string {
  return readOrCreate(join(stateDir, 'database-password'), randomSecret).trim()
}

/** File with the token for `/metrics`, for use with curl, or as the `credentials_file` of Prometheus. */
export const METRICS_TOKEN_FILE = 'metrics-token'

/** Loads the metrics token. Creates it at the first start, in a file that only the current user can read. */
export function loadMetricsToken(stateDir: string): string {
  const token = readOrCreate(join(stateDir, METRICS_TOKEN_FILE), randomSecret).trim()
  return operatorTokenSetting.parse(token)
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function readOrCreate(file: string, create: () => string): string {
  if (!existsSync(file)) replaceFile(file, create())
  return readFileSync(file, 'utf8')
}
