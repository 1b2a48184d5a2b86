/** What is kept between commands, each under the host that it is for: it is sent to no other. */
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
  /** All of it. @throws {UsageError} where others can read the file, or it is torn */
  read(this: void): Promise<Kept>
  /** What is kept for the core API at an address. */
  origin(this: void, baseUrl: string): Promise<KeptOrigin>
  /** What is kept for the trigger service at an address. */
  edge(this: void, triggersUrl: string): Promise<KeptEdge>
  /** What `change` leaves is what is kept from then on. */
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

/** Changes what is kept for the core API at an address. */
export function keptOrigin(kept: Kept, baseUrl: string): KeptOrigin {
  return (kept.origins[new URL(baseUrl).origin] ??= {})
}

/** Changes what is kept for the trigger service at an address. */
export function keptEdge(kept: Kept, triggersUrl: string): KeptEdge {
  return (kept.edges[new URL(triggersUrl).origin] ??= {})
}

/** Never with a part of the file in its message. */
async function keptIn(file: string, text: string | undefined): Promise<Kept> {
  if (text === undefined) return { version: 1, origins: {}, edges: {} }
  // Most commands that only speak of themselves never come here; zod is half of what they would load.
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
