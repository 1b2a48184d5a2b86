import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * A zod schema as the JSON Schema 2020-12 that OpenAPI 3.1 takes.
 * @param io what is sent, before defaults and transforms, or what is answered
 * @throws {Error} for a recursive schema: its references would point out of the document
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // An answer may get more fields, and a client made from this must take them.
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  })
  if ('$defs' in rest) throw new Error('a recursive schema has no place in the description')
  return rest
}
