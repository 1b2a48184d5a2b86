import { ACTION_MEMORY_BYTES } from '../../shared/limits.ts'
import type { FailureCode } from './run.ts'

/** Error codes that the prelude may assign. Only the host may assign any other code. */
const PRELUDE_CODES = [
  'no_main',
  'result_not_json',
  'result_too_large',
  'key_operation_limit',
  'outbound_limit',
  'outbound_response_too_large',
] as const satisfies readonly FailureCode[]

export type ActionFailure = { code: FailureCode; message: string; stack: string }

/**
 * Limits in characters. The prelude already truncates to lower limits; these limits apply even if the prelude is
 * compromised.
 */
const MESSAGE_CHARACTERS = 8192
const STACK_CHARACTERS = 16_384

/** Maximum number of stack frames shown, innermost first. Endless recursion produces thousands. */
const FRAMES_MAX = 20

export function thrownFailure(
  thrown: { code: string; name: string; message: string; frames: string },
  exhausted: boolean,
): ActionFailure {
  const message = thrown.message.toWellFormed().slice(0, MESSAGE_CHARACTERS)
  const frames = withoutPreludeFrames(thrown.frames.toWellFormed().slice(0, STACK_CHARACTERS))
  if (isOutOfMemory(thrown.name, message, exhausted)) return outOfMemoryFailure(frames)
  const code = PRELUDE_CODES.find((known) => known === thrown.code) ?? 'action_threw'
  const title = thrown.name === '' ? message : `${thrown.name.slice(0, 256)}: ${message}`
  return { code, message, stack: frames === '' ? title : `${title}\n${frames}` }
}

export function outOfMemoryFailure(frames = ''): ActionFailure {
  const message = `the action exceeded its ${ACTION_MEMORY_BYTES / 1024 ** 2} MiB of memory`
  return {
    code: 'out_of_memory',
    message,
    stack: frames === '' ? message : `${message}\n${frames}`,
  }
}

/** @param spent description of the limit, such as "120 s of time" */
export function timeoutFailure(spent: string): ActionFailure {
  const message = `the action was stopped after ${spent}`
  return { code: 'action_timeout', message, stack: message }
}

/** The caller reports the reason itself. */
export function stoppedFailure(): ActionFailure {
  return { code: 'stopped', message: 'the run was stopped', stack: '' }
}

export function trapFailure(error: unknown, exhausted: boolean): ActionFailure {
  if (exhausted) return outOfMemoryFailure()
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof RangeError && text.includes('call stack')) {
    const message = 'stack overflow: the action nests calls, JSON or source too deeply'
    return { code: 'action_threw', message, stack: `RangeError: ${message}` }
  }
  const message = `the engine stopped: ${text.slice(0, 200)}`
  return { code: 'engine_fault', message, stack: '' }
}

/**
 * True if an action failed because it ran out of memory. If no memory is left even for an error object, the engine
 * throws null or no value.
 */
function isOutOfMemory(name: string, message: string, exhausted: boolean): boolean {
  // An allocation larger than the whole memory fails without setting `exhausted`, because the engine does not try to
  // grow the memory.
  if (name === 'InternalError') return message.startsWith('out of memory')
  if (!exhausted) return false
  return name === '' && /: (null|unknown .*|object \{\})$/.test(message)
}

/** Removes the prelude's stack frames, which are meaningless to the action's author. */
function withoutPreludeFrames(frames: string): string {
  return frames
    .split('\n')
    .filter((line) => line.trim() !== '' && !/[( ]svc:[a-z0-9]+\.js:\d+/.test(line))
    .slice(0, FRAMES_MAX)
    .join('\n')
}
