/** Stored credentials, keyed by host. A credential is sent to no other host. */
import { join } from 'node:path'
import { type Terminal, UsageError } from '../terminal.ts'
import {
  configFolder,
  readCredentialsFile,
  whileLocked,
  writeCredentialsFile,
} from './credentials-file.ts'
import type { Kept, KeptEdge, KeptOrigin } from './kept.ts'

export type Credentials = {
  file: string
  /** Reads the whole file. @throws {UsageError} if others can read the file, or it is malformed */
  read(this: void): Promise<Kept>
  /** Returns the credentials for the core API at this address. */
  origin(this: void, baseUrl: string): Promise<KeptOrigin>
  /** Returns the credentials for the trigger service at this address. */
  edge(this: void, triggersUrl: string): Promise<KeptEdge>
  /** Stores the result of mutating `kept`, under the lock of the file. */
  change(this: void, change: (kept: Kept) => void): Promise<void>
}

export function credentialsOf(terminal: Pick<Terminal, 'environment'>): Credentials {
  const file = join(configFolder(terminal), 'credentials.json')
  const read = async () => keptIn(file, readCredentialsFile(file))
  return {
    file,
    read,
    origin: async (baseUrl) => (await read()).origins[new URL(baseUrl).origin] ?? {},
    edge: async (triggersUrl) => (await read()).edges[new URL(triggersUrl).origin] ?? {},
    change: (change) =>
      whileLocked(file, async () => {
        const kept = await read()
        change(kept)
        writeCredentialsFile(file, `${JSON.stringify(kept, null, 2)}\n`)
      }),
  }
}

/** Returns the mutable entry of a core API, creating it if necessary. */
export function keptOrigin(kept: Kept, baseUrl: string): KeptOrigin {
  return (kept.origins[new URL(baseUrl).origin] ??= {})
}

/** Returns the mutable entry of a trigger service, creating it if necessary. */
export function keptEdge(kept: Kept, triggersUrl: string): KeptEdge {
  return (kept.edges[new URL(triggersUrl).origin] ??= {})
}

/** Parses the file. Error messages never contain any part of it. */
async function keptIn(file: string, text: string | undefined): Promise<Kept> {
  if (text === undefined) return { version: 1, origins: {}, edges: {} }
  // Loaded on demand: zod is half of the startup cost, and many commands need no credentials.
  const { keptSchema } = await import('./kept.ts')
  const parsed = keptSchema.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`${file} is not as svc writes it; put it right, or move it away`)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
