import type { z } from 'zod'
import { tryParseJson } from '../json/try-parse-json.ts'
import { CheckFailedError } from './check-failed.ts'

/** Parses and validates JSON in the evidence. @throws `Failure`, with a message that starts with `name` */
export function parseEvidenceJson<Shape>(
  name: string,
  text: string,
  schema: z.ZodType<Shape>,
  Failure: new (reason: string) => Error = CheckFailedError,
): Shape {
  const json = tryParseJson(text)
  if (json === undefined) throw new Failure(`${name} is not JSON`)
  const result = schema.safeParse(json)
  if (result.success) return result.data
  throw new Failure(`${name}: ${firstIssue(result.error)}`)
}

export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.')}: ${issue?.message}`
}
