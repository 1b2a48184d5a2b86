/** Runs the command line in this process and captures its output. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { run } from '../../../shared/cli/run.ts'

export type Ran = { code: number; out: string; err: string }

export type Surroundings = {
  environment?: Record<string, string>
  folder?: string
  isTerminal?: boolean
  /** Defaults to `isTerminal`. */
  hasColours?: boolean
  isWatched?: boolean
  /** Input of an interactive command. */
  input?: Readable
  /** Called with each written text. */
  onWrite?: (text: string) => void
  standardInput?: string
  /** Answer typed at a prompt, or what the user does before typing it. */
  typed?: string | (() => Promise<string>)
  signal?: AbortSignal
  now?: Date
}

export async function svc(words: string[], around: Surroundings = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await run(words, {
    write: (text) => {
      out += text
      around.onWrite?.(text)
    },
    writeError: (text) => void (err += text),
    environment: around.environment ?? {},
    folder: around.folder ?? '/nonexistent',
    isTerminal: around.isTerminal ?? false,
    hasColors: around.hasColours ?? around.isTerminal ?? false,
    showsProgress: around.isWatched ?? false,
    isInteractive: around.typed !== undefined,
    input: () => around.input ?? Readable.from([]),
    standardInput: async () => around.standardInput ?? '',
    ask: async (question) => {
      err += question
      return typeof around.typed === 'function' ? around.typed() : (around.typed ?? '')
    },
    signal: around.signal ?? new AbortController().signal,
    now: () => around.now ?? new Date(),
    random: (length) => new Uint8Array(randomBytes(length)),
  })
  return { code, out, err }
}

/** Outcome of each rule by name: `passed`, `failed` or `not applicable`. */
export function outcomes({ out }: Pick<Ran, 'out'>): Record<string, string> {
  const lines = [...out.matchAll(/^\d {2}(.{14}) {2}(PASSED|FAILED|NOT APPLICABLE) /gm)]
  return Object.fromEntries(
    lines.map(([, name, outcome]) => [name!.trim(), outcome!.toLowerCase()]),
  )
}

export function reasonOf({ out }: Pick<Ran, 'out'>, rule: string): string | undefined {
  const line = out.split('\n').find((one) => one.slice(3, 17).trim() === rule)
  return line?.slice(35)
}

export const ALL_PASSED = {
  quote: 'passed',
  'compose hash': 'passed',
  images: 'passed',
  'evidence files': 'passed',
  certificate: 'passed',
  CAA: 'passed',
  governance: 'passed',
}
