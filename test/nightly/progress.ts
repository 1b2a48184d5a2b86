/** The progress file: one JSON line per finished piece, and one per restart of campaigns. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Piece } from './pieces.ts'
import type { Figures } from './figures.ts'

export type Finished = Piece & {
  passed: boolean
  seconds: number
  /** Short hash of the commit, with `+` if the working tree had changes. */
  commit: string
  /** ISO 8601, at the end of the piece. */
  date: string
  figures?: Figures
  failedSeeds?: number[]
  /** The beginning of each failure message. */
  failures?: string[]
}

/** Invalidates all earlier results of these campaigns. */
export type Restart = { restarted: string[]; commit: string; date: string }

export function append(file: string, line: Finished | Restart): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}

export function readProgress(file: string): Finished[] {
  return existsSync(file) ? parseProgress(readFileSync(file, 'utf8')) : []
}

/** Last result of each piece since the last restart of its campaign. Skips truncated lines. */
export function parseProgress(text: string): Finished[] {
  let finished: Finished[] = []
  for (const line of text.split('\n').flatMap(parseLine)) {
    finished =
      'restarted' in line
        ? finished.filter(({ campaign }) => !line.restarted.includes(campaign))
        : [...finished.filter((earlier) => !isSamePiece(earlier, line)), line]
  }
  return finished
}

function parseLine(line: string): (Finished | Restart)[] {
  try {
    return [JSON.parse(line) as Finished | Restart]
  } catch {
    return []
  }
}

const isSamePiece = (a: Piece, b: Piece) =>
  a.campaign === b.campaign && a.first === b.first && a.count === b.count
