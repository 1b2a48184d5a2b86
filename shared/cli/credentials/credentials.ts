/** Stores credentials by host. A credential is sent only to the host that it is stored for. */
import { join } from 'node:path'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { type Terminal, UsageError } from '../terminal.ts'
import {
  configFolder,
  readCredentialsFile,
  withFileLock,
  writeCredentialsFile,
} from './credentials-file.ts'
import type { StoredCredentials, StoredEdge, StoredOrigin } from './stored-credentials.ts'

export type Credentials = {
  file: string
  /** Reads the stored credentials. @throws {UsageError} if the file is readable by other users or malformed */
  read(this: void): Promise<StoredCredentials>
  origin(this: void, baseUrl: string): Promise<StoredOrigin>
  edge(this: void, triggersUrl: string): Promise<StoredEdge>
  /** Changes the stored credentials. The file is locked while the credentials are read, changed and stored. */
  change(this: void, change: (kept: StoredCredentials) => void): Promise<void>
}

export function credentialsOf(terminal: Pick<Terminal, 'environment'>): Credentials {
  const file = join(configFolder(terminal), 'credentials.json')
  const read = async () => parseCredentials(file, readCredentialsFile(file))
  return {
    file,
    read,
    origin: async (baseUrl) => (await read()).origins[new URL(baseUrl).origin] ?? {},
    edge: async (triggersUrl) => (await read()).edges[new URL(triggersUrl).origin] ?? {},
    change: (change) =>
      withFileLock(file, async () => {
        const kept = await read()
        change(kept)
        writeCredentialsFile(file, `${JSON.stringify(kept, null, 2)}\n`)
      }),
  }
}

export function storedOriginEntry(kept: StoredCredentials, baseUrl: string): StoredOrigin {
  return (kept.origins[new URL(baseUrl).origin] ??= {})
}

/** Keeps a different stored key as a former key. */
export function setAccountKey(origin: StoredOrigin, key: string): void {
  if (origin.account_key !== undefined && origin.account_key !== key) {
    origin.former_account_keys = [...(origin.former_account_keys ?? []), origin.account_key]
    // The stored usage keys are removed, because they belong to the previous account and would be rejected.
    delete origin.usage_keys
  }
  origin.account_key = key
  delete origin.next_account_key
}

export function storedEdgeEntry(kept: StoredCredentials, triggersUrl: string): StoredEdge {
  return (kept.edges[new URL(triggersUrl).origin] ??= {})
}

/** Error messages never contain any part of the text. */
async function parseCredentials(
  file: string,
  text: string | undefined,
): Promise<StoredCredentials> {
  if (text === undefined) return { version: 1, origins: {}, edges: {} }
  // The schema is loaded on demand: zod accounts for half of the startup time, and many commands need no credentials.
  const { storedCredentialsSchema } = await import('./stored-credentials.ts')
  const parsed = storedCredentialsSchema.safeParse(tryParseJson(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`${file} is not a valid credentials file; correct it or remove it`)
}
