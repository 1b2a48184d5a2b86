import { originalPosition, readInlineMap } from '../../shared/build/inline-map.ts'
import type { ActionFailure } from './failure.ts'

/** A frame of the action's own code, such as `    at check (action.js:2:5)`. */
const FRAME = /^( {4}at .*?)action\.js:(\d{1,9}):(\d{1,9})(\)?)$/gm

/**
 * Replaces positions in a built action by positions in the author's files, such as `src/action.ts:3:7`. Frames without
 * such a position, for example in packages, stay unchanged.
 */
export function withSourcePositions(failure: ActionFailure, code: string): ActionFailure {
  const stack = failure.stack
  if (stack.search(FRAME) < 0) return failure
  const map = readInlineMap(code)
  if (map === undefined) return failure
  const mapped = stack.replace(FRAME, (frame, before, line, column, after) => {
    const position = originalPosition(map, Number(line), Number(column))
    return position === undefined ? frame : `${before}${position}${after}`
  })
  return { ...failure, stack: mapped }
}
