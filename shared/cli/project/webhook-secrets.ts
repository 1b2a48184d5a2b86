/** Secrets of webhook sources. `svc.json` names the variables and files that contain them. */
import { resolve } from 'node:path'
import { keccakHex } from '../../crypto/keccak.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'
import type { ProjectFile, SecretReference } from './project-schema.ts'

/** `held` is undefined if a variable or file that contains the secret is missing on this machine. */
export type ProjectSecret = {
  /** Where the secret is, in words. */
  place: string
  held?: { value: string | string[]; digest: string }
}

/** Returns the secrets of the triggers that name one, by the trigger’s name. */
export async function readWebhookSecrets(
  cli: Cli,
  { triggers }: Pick<ProjectFile, 'triggers'>,
  folder: string,
): Promise<Map<string, ProjectSecret>> {
  const secrets = new Map<string, ProjectSecret>()
  for (const [name, { webhook_secret: reference }] of Object.entries(triggers))
    if (reference !== undefined)
      secrets.set(name, await readSecret(cli, folder, [reference].flat() as SecretReference[]))
  return secrets
}

async function readSecret(
  cli: Cli,
  folder: string,
  references: readonly SecretReference[],
): Promise<ProjectSecret> {
  const place = references.map(placeOf).join(' and ')
  const values: string[] = []
  for (const reference of references) {
    const value = await valueOf(cli, folder, reference)
    if (value === undefined) return { place }
    values.push(value)
  }
  const value = values.length === 1 ? values[0]! : values
  return { place, held: { value, digest: keccakHex(JSON.stringify(value)) } }
}

async function valueOf(
  { terminal, secretFile }: Cli,
  folder: string,
  { env, file }: SecretReference,
): Promise<string | undefined> {
  if (env !== undefined) return terminal.environment[env]?.trim() || undefined
  return secretFile(resolve(folder, file!)).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined
    throw error
  })
}

const placeOf = ({ env, file }: SecretReference) =>
  env === undefined ? `the file ${file}` : `the variable ${env}`
