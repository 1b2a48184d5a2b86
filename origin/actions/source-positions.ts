import { originalPosition, readInlineMap } from '../../shared/build/inline-map.ts'
import type { ActionFailure } from './failure.ts'

/** A frame of the action's own code, such as `    at check (action.js:2:5)`. */
const FRAME = /^( {4}at .*?)action\.js:(\d{1,9}):(\d{1,9})(\)?)$/gm

const SURROGATE_PAIR = /[\u{10000}-\u{10ffff}]/gu

/** Positions in longer lines are not corrected, so that a hostile source costs little. */
const LINE_MAX_CHARACTERS = 1024 * 1024

/**
 * Replaces positions in a built action by positions in the author's files, such as `src/action.ts:3:7`. Frames without
 * such a position, for example in packages, stay unchanged.
 */
export function withSourcePositions(failure: ActionFailure, code: string): ActionFailure {
  const stack = failure.stack
  if (stack.search(FRAME) < 0) return failure
  const map = readInlineMap(code)
  if (map === undefined) return failure
  const lines = code.split('\n')
  const pairs = new Map<number, number[]>()
  // QuickJS counts characters, and source maps count UTF-16 units.
  const unitColumn = (line: number, column: number) => {
    const ofLine = pairs.get(line) ?? surrogatePairs(lines[line - 1] ?? '')
    pairs.set(line, ofLine)
    return column + ofLine.filter((at) => at < column).length
  }
  const mapped = stack.replace(FRAME, (frame, before, line, column, after) => {
    const position = originalPosition(map, Number(line), unitColumn(Number(line), Number(column)))
    return position === undefined ? frame : `${before}${position}${after}`
  })
  return { ...failure, stack: mapped }
}

/** Returns the 1-based columns, in characters, of the characters of a line that have two UTF-16 units. */
function surrogatePairs(line: string): number[] {
  if (line.length > LINE_MAX_CHARACTERS) return []
  return [...line.matchAll(SURROGATE_PAIR)].map(({ index }, before) => index - before + 1)
}
