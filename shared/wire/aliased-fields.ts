/**
 * Schemas of requests whose fields can have several names, because clients guess field names. If a request contains
 * several spellings of a field, their values must agree.
 */
import { z } from 'zod'

type Schemas<Value> = Readonly<Record<string, z.ZodType<Value>>>

/** A field with several spellings. Error messages and the OpenAPI document use the first spelling. */
type AliasedField<Value> = { schemas: Schemas<Value>; required: boolean }

export function aliases<Value>(
  schema: z.ZodType<Value>,
  ...names: readonly [string, ...string[]]
): Schemas<Value> {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

export const requiredField = <Value>(schemas: Schemas<Value>) =>
  ({ schemas, required: true }) as const
export const optionalField = <Value>(schemas: Schemas<Value>) =>
  ({ schemas, required: false }) as const

type Fields = Readonly<Record<string, AliasedField<any>>>
type ValueOf<Field> =
  Field extends AliasedField<infer Value>
    ? Field extends { required: true }
      ? Value
      : Value | undefined
    : never
type RequestOf<Of extends Fields> = { [Name in keyof Of]: ValueOf<Of[Name]> }

/**
 * Creates the schema of a request. The output contains each field once, under the name that our code uses. A missing
 * field is reported under its main spelling (422). Two spellings that disagree are reported under the first one sent,
 * with a message that names the other spelling (400).
 */
export function requestSchema<Of extends Fields>(fields: Of): z.ZodType<RequestOf<Of>> {
  return z
    .object(shapeOf(fields))
    .meta({ allOf: Object.values(fields).flatMap(presence) })
    .transform((sent, context) => {
      const read: Record<string, unknown> = {}
      for (const [name, field] of Object.entries(fields)) {
        const [first, ...others] = Object.keys(field.schemas).filter(
          (spelling) => sent[spelling] !== undefined,
        )
        if (first === undefined) {
          if (field.required) context.issues.push(missing(field))
          continue
        }
        for (const other of others)
          if (!agree(sent[first], sent[other])) context.issues.push(disagreement(first, other))
        read[name] = sent[first]
      }
      return read as RequestOf<Of>
    })
}

function shapeOf(fields: Fields): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {}
  for (const { schemas } of Object.values(fields)) {
    const [main] = Object.keys(schemas)
    for (const [spelling, schema] of Object.entries(schemas))
      shape[spelling] =
        spelling === main
          ? schema.optional()
          : schema.optional().meta({ description: `Alias of ${main}.` })
  }
  return shape
}

/** Returns the JSON Schema rule for the OpenAPI document that a required field is present under one of its names. */
function presence({ schemas, required }: AliasedField<unknown>): object[] {
  if (!required) return []
  const names = Object.keys(schemas).map((spelling) => ({ required: [spelling] }))
  return names.length === 1 ? names : [{ anyOf: names }]
}

function missing({ schemas }: AliasedField<unknown>) {
  const [main, ...others] = Object.keys(schemas)
  const also = others.length === 0 ? '' : ` (also accepted as ${others.join(', ')})`
  return { code: 'custom' as const, message: `required${also}`, path: [main!], input: undefined }
}

function disagreement(first: string, other: string) {
  const message = `conflicts with ${other}: send the field only once`
  return { code: 'custom' as const, message, path: [first], input: undefined }
}

/** Compares normalized values, each of which is text, a number, a boolean, or a list of these types. */
const agree = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
