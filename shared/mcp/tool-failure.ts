import type { CallToolResult } from '@modelcontextprotocol/server'
import { ZodError } from 'zod'
import { SvcError } from '../client/failures/svc-error.ts'

/** A tool call was rejected before anything was sent. */
export class ToolRejectedError extends Error {
  readonly code: string
  readonly fix: string
  constructor(code: string, message: string, fix: string) {
    super(message)
    this.name = 'ToolRejectedError'
    this.code = code
    this.fix = fix
  }
}

/** Undefined for an internal error. */
export function toolFailure(error: unknown): CallToolResult | undefined {
  const said = errorBody(error)
  return said && { isError: true, content: [{ type: 'text', text: JSON.stringify(said) }] }
}

function errorBody(error: unknown): object | undefined {
  if (error instanceof SvcError) {
    const { code, message, fix, status, requestId: request_id } = error
    return { error: code, message, fix, status, request_id }
  }
  if (error instanceof ZodError) return refusedArguments(error)
  if (error instanceof ToolRejectedError)
    return { error: error.code, message: error.message, fix: error.fix }
  return undefined
}

function refusedArguments({ issues }: ZodError): object {
  const problems = issues.slice(0, 5).map(({ path, message }) => `${pathText(path)}: ${message}`)
  const fix = 'Send arguments that match the tool’s inputSchema.'
  return { error: 'bad_arguments', message: problems.join('; '), fix }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'arguments' : path.map(String).join('.')
}
