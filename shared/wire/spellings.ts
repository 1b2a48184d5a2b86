/**
 * Requests whose fields have more than one name: the specification leaves some of them open, and clients guess
 * (`decisions.md`). All spellings that are sent have to agree.
 */
import { z } from 'zod'

type Schemas<Value> = Readonly<Record<string, z.ZodType<Value>>>

/** A field of a request; the first spelling is the one that messages and the API's description name. */
export type Spelled<Value> = { schemas: Schemas<Value>; required: boolean }

/** The same schema under each name. */
export function spelled<Value>(
  schema: z.ZodType<Value>,
  ...names: readonly [string, ...string[]]
): Schemas<Value> {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

/** A field that has to be sent, under one of its names. */
export function oneOf<Value>(schemas: Schemas<Value>): Spelled<Value> & { required: true } {
  return { schemas, required: true }
}

/** A field that may be left out. */
export function maybe<Value>(schemas: Schemas<Value>): Spelled<Value> & { required: false } {
  return { schemas, required: false }
}

type Fields = Readonly<Record<string, Spelled<any>>>
type ValueOf<Field> =
  Field extends Spelled<infer Value>
    ? Field extends { required: true }
      ? Value
      : Value | undefined
    : never
export type RequestOf<Of extends Fields> = { [Name in keyof Of]: ValueOf<Of[Name]> }

/**
 * The schema of a request: an object of every spelling, that gives each field once, under our name for it.
 * A field that is missing is an issue of its main spelling (422); two spellings that disagree are one of the first of
 * them that was sent (400), whose text names the other.
 */
export function requestOf<Of extends Fields>(fields: Of): z.ZodType<RequestOf<Of>> {
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
          : schema.optional().meta({ description: `Another spelling of ${main}.` })
  }
  return shape
}

/** For the API's description: a required field has to be there under one of its names. */
function presence({ schemas, required }: Spelled<unknown>): object[] {
  if (!required) return []
  const names = Object.keys(schemas).map((spelling) => ({ required: [spelling] }))
  return names.length === 1 ? names : [{ anyOf: names }]
}

function missing({ schemas }: Spelled<unknown>) {
  const [main, ...others] = Object.keys(schemas)
  const also = others.length === 0 ? '' : ` (also taken as ${others.join(', ')})`
  return { code: 'custom' as const, message: `required${also}`, path: [main!], input: undefined }
}

function disagreement(first: string, other: string) {
  const message = `another value than in ${other}; send the field once`
  return { code: 'custom' as const, message, path: [first], input: undefined }
}

/** Values are normal forms: text, numbers, booleans, and lists of them. */
function agree(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
